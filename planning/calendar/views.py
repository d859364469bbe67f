"""The operation on calendar files."""

from uuid import UUID

from accounts.api.viewsets import MemberViewSet
from courses.courses import require_course
from planning.calendar.files import MAX_BYTES
from planning.calendar.importing import import_calendar
from planning.calendar.serializers import CalendarImportQuery, CalendarImportRow
from studyservice.operations.declaration import Scope, operation
from studyservice.operations.uploads import Upload


class CalendarViewSet(MemberViewSet):
    """Calendars of learning platforms and of others."""

    tag = "Planning"

    @operation(
        "Import a calendar",
        scope=Scope.WRITE,
        answer=CalendarImportRow,
        query=CalendarImportQuery,
        upload=Upload(MAX_BYTES, ("text/calendar",)),
        exists=require_course,
        counted=True,
        tool=False,
    )
    def import_calendar(self, course_id: UUID) -> CalendarImportRow:
        """Take the dates of an iCalendar file into a course. Sent again later, it changes what changed in the file and
        keeps what the member changed; nothing is deleted. With dry_run it only tells.

        Import dates that a learning platform exports as an .ics file. Repeat the import at any time: moved
        dates are updated, the member's own edits stay, and nothing is deleted.

        Use dry_run to see the result first.
        """
        return import_calendar(self.access, course_id, self.upload.file, **self.query)

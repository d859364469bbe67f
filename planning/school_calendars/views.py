"""The operations on school calendars."""

from http import HTTPStatus
from uuid import UUID

from accounts.api.viewsets import MemberViewSet
from planning.school_calendars import calendars, rows
from planning.school_calendars.serializers import (
    SchoolCalendarAnswerBody,
    SchoolCalendarBody,
    SchoolCalendarDetailRow,
    SchoolCalendarRow,
    SchoolCalendarUpdateBody,
)
from studyservice.operations.declaration import Scope, operation
from studyservice.operations.serializers import DeletedRow, Page, page


class SchoolCalendarViewSet(MemberViewSet):
    """Calendars that are read by their address."""

    tag = "Planning"

    @operation(
        "Add a school calendar",
        scope=Scope.WRITE,
        answer=SchoolCalendarDetailRow,
        status=HTTPStatus.CREATED,
        body=SchoolCalendarBody,
        counted=True,
        tool=False,
        whole_account=True,
    )
    def add_school_calendar(self) -> SchoolCalendarDetailRow:
        """Add a calendar by its secret address and read it at once. What it has waits for a yes unless accept is true.
        It is read every six hours; one that cannot be read is answered as failing.

        Follow the calendar of a school's system. Moved deadlines are updated, the member's own edits stay, and
        nothing is deleted.

        The address is a secret. It is stored encrypted and never shown again.
        """
        return calendars.add_school_calendar(self.access, **self.body)

    @operation(
        "List school calendars",
        scope=Scope.READ,
        answer=SchoolCalendarRow,
        many=True,
        tool=False,
        whole_account=True,
    )
    def list_school_calendars(self) -> Page[SchoolCalendarRow]:
        """The calendars that are read by their address, at most five, oldest first.

        See when each calendar was read, what state it is in, and which course each label belongs to.
        """
        return page(rows.list_school_calendars(self.access))

    @operation(
        "Get a school calendar", scope=Scope.READ, answer=SchoolCalendarDetailRow, tool=False, whole_account=True
    )
    def get_school_calendar(self, calendar_id: UUID) -> SchoolCalendarDetailRow:
        """One calendar with what waits for an answer in held, by course.

        Read a calendar before answering what it holds.
        """
        return rows.get_school_calendar(self.access, calendar_id)

    @operation(
        "Update a school calendar",
        scope=Scope.WRITE,
        answer=SchoolCalendarDetailRow,
        body=SchoolCalendarUpdateBody,
        partial=True,
        exists=rows.require_calendar,
        counted=True,
        tool=False,
        whole_account=True,
    )
    def update_school_calendar(self, calendar_id: UUID) -> SchoolCalendarDetailRow:
        """Rename or pause a calendar, or say which course takes a label; its events are made in the same call. The
        address cannot be changed.

        Assign labels to courses. The choice is remembered for later readings.
        """
        return calendars.update_school_calendar(self.access, calendar_id, **self.body)

    @operation(
        "Delete a school calendar",
        scope=Scope.WRITE,
        answer=DeletedRow,
        consequential=True,
        tool=False,
        whole_account=True,
    )
    def delete_school_calendar(self, calendar_id: UUID) -> DeletedRow:
        """Permanently delete a calendar with its address. Its items stay. It cannot be undone.

        Stop following a calendar. Add its address again to go on.
        """
        return calendars.delete_school_calendar(self.access, calendar_id)

    @operation(
        "Refresh a school calendar",
        scope=Scope.WRITE,
        answer=SchoolCalendarDetailRow,
        counted=True,
        tool=False,
        whole_account=True,
    )
    def refresh_school_calendar(self, calendar_id: UUID) -> SchoolCalendarDetailRow:
        """Read a calendar now; once in five minutes.

        Read a calendar without waiting for its turn. A failed reading is answered as failing.
        """
        return calendars.refresh_school_calendar(self.access, calendar_id)

    @operation(
        "Answer a school calendar",
        scope=Scope.WRITE,
        answer=SchoolCalendarDetailRow,
        body=SchoolCalendarAnswerBody,
        exists=rows.require_calendar,
        counted=True,
        tool=False,
        whole_account=True,
    )
    def answer_school_calendar(self, calendar_id: UUID) -> SchoolCalendarDetailRow:
        """Apply or refuse the changes in held. The same changes do not ask again after a refusal.

        Answer the first reading of a calendar, and later ones that change unusually much.
        """
        return calendars.answer_school_calendar(self.access, calendar_id, **self.body)

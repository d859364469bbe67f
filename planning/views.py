"""Operations on milestones, the agenda, calendars, and items with what is predicted for them."""

from http import HTTPStatus
from uuid import UUID

from courses.courses import require_course
from courses.items import get_item
from courses.views import ItemViewSet
from planning import agenda, milestones, readiness
from planning.agenda_serializers import AgendaQuery, AgendaRow, ItemDetailRow, ItemQuery
from planning.calendar.files import MAX_BYTES
from planning.calendar.importing import import_calendar
from planning.calendar.serializers import CalendarImportQuery, CalendarImportRow
from planning.school_calendars import calendars, rows
from planning.school_calendars.serializers import (
    SchoolCalendarAnswerBody,
    SchoolCalendarBody,
    SchoolCalendarDetailRow,
    SchoolCalendarRow,
    SchoolCalendarUpdateBody,
)
from planning.serializers import (
    CreatedMilestoneRow,
    MilestoneBody,
    MilestoneChanges,
    MilestoneRow,
)
from studyservice.operations.declaration import Scope, operation
from studyservice.operations.serializers import DeletedRow, Page, page
from studyservice.operations.uploads import Upload
from studyservice.viewsets import MemberViewSet


class AgendaViewSet(MemberViewSet):
    """What is due."""

    tag = "Planning"

    @operation("Get the agenda", scope=Scope.READ, answer=AgendaRow, query=AgendaQuery)
    def get_agenda(self) -> AgendaRow:
        """What is due from the member's today on: items, open milestones, readiness for exams (unseen cards count as 0
        in expected_recall). With minutes what to do now: ask so when the member says how much time there is. missed:
        due in the last 30 days and entered by then; list_items status=past finds others.

        Show what to work on: deadlines in the coming days, open study steps and overdue ones. Dates follow the
        member's time zone, not the caller's. Courses that have ended are left out.

        Exams and quizzes come with an estimate from the flashcards of their course.
        """
        return agenda.get_agenda(self.access, **self.query)


class PlannedItemViewSet(ItemViewSet):
    """A member's dated items, with what is predicted for exams."""

    @operation("Get an item", scope=Scope.READ, answer=ItemDetailRow, query=ItemQuery)
    def get_item(self, item_id: UUID) -> ItemDetailRow:
        """A dated course item. An exam or quiz to come has readiness: what the member will recall of the course's cards
        that day without study; unseen cards count as 0 in expected_recall. With minutes_a_day also study_plan: what to
        study each day and what will then be known if you answer as the model expects.

        Read one deadline. For an upcoming exam or quiz the answer also estimates how many of the course's
        flashcards the member would remember that day without further study.
        """
        return readiness.get_item_detail(self.access, item_id, **self.query)


class MilestoneViewSet(MemberViewSet):
    """The steps that lead up to an item."""

    tag = "Planning"

    @operation("List milestones", scope=Scope.READ, answer=MilestoneRow, many=True)
    def list_milestones(self, item_id: UUID) -> Page[MilestoneRow]:
        """The milestones of an item, in order, in one page.

        Read the study plan of one deadline, step by step.
        """
        return page(milestones.list_milestones(self.access, item_id))

    @operation(
        "Create a milestone",
        scope=Scope.WRITE,
        answer=CreatedMilestoneRow,
        status=HTTPStatus.CREATED,
        body=MilestoneBody,
        exists=get_item,
        counted=True,
    )
    def create_milestone(self, item_id: UUID) -> CreatedMilestoneRow:
        """Add a step to an item's study plan, at the end or at place; with more, several at once. Propose first. An
        item can have 20, a member 5,000; one more answers conflict and creates nothing.

        Add a study step to a deadline. Give it a date of its own to see it in the agenda before the deadline is
        near.
        """
        return milestones.create_milestone(self.access, item_id, **self.body)

    @operation(
        "Change a milestone",
        scope=Scope.WRITE,
        answer=MilestoneRow,
        body=MilestoneChanges,
        partial=True,
        exists=milestones.get_milestone,
    )
    def update_milestone(self, milestone_id: UUID) -> MilestoneRow:
        """Change the fields that are sent; a due_on of null makes it undated, place moves it in its item's plan. The
        member can undo it on /activity.

        Tick a step off, rename it or move it to another day. Send only the fields to change.
        """
        return milestones.update_milestone(self.access, milestone_id, **self.body)

    @operation("Delete a milestone", scope=Scope.WRITE, answer=DeletedRow, consequential=True)
    def delete_milestone(self, milestone_id: UUID) -> DeletedRow:
        """Delete a milestone; the others keep their positions. Gone at once; for 30 days the member can undo it on this
        site's page /activity. Confirm with the member first.

        Remove one step of a study plan. The member can restore it in Activity for 30 days.
        """
        return milestones.delete_milestone(self.access, milestone_id)


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

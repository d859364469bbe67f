"""Operations on milestones, the agenda, and items with what is predicted for them."""

from http import HTTPStatus
from uuid import UUID

from accounts.api.viewsets import MemberViewSet
from courses.items import get_item
from courses.views import ItemViewSet
from planning import agenda, milestones, readiness
from planning.agenda_serializers import AgendaQuery, AgendaRow, ItemDetailRow, ItemQuery
from planning.serializers import (
    CreatedMilestoneRow,
    MilestoneBody,
    MilestoneChanges,
    MilestoneRow,
)
from studyservice.operations.declaration import Scope, operation
from studyservice.operations.serializers import DeletedRow, Page, page


class AgendaViewSet(MemberViewSet):
    """What is due."""

    tag = "Planning"

    @operation("Get the agenda", scope=Scope.READ, answer=AgendaRow, query=AgendaQuery)
    def get_agenda(self) -> AgendaRow:
        """What is due from the member's today on: items, open milestones, readiness for exams (unseen cards count as 0
        in expected_recall). With minutes what to do now: ask so when the member says how much time there is. missed:
        due in the last 30 days and entered by then; list_items status=past finds others.

        Show what to work on: deadlines in the coming days, open study steps and overdue ones. Dates follow the
        member's time zone, not the caller's.

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

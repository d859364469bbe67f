"""What is due soon."""

from datetime import timedelta

from django.db.models import F, Q

from accounts.models import Member
from courses.readiness import due_with_readiness
from planning.milestones import MILESTONES, with_overdue
from planning.serializers import AgendaRow, MilestoneColumns, MilestoneRecord
from studyservice.database.statements import Param, Select

_UNDATED_IN_RANGE = Q(due_on=None, item__due_on__gte=Param("today"), item__due_on__lte=Param("until"))
_OPEN = Select[MilestoneColumns](
    MILESTONES.filter(Q(due_on__lte=Param("until")) | _UNDATED_IN_RANGE, done=False).order_by(
        F("due_on").asc(nulls_last=True), "position", "created_at", "id"
    ),
    MilestoneRecord,
)


def get_agenda(member: Member, *, days: int) -> AgendaRow:
    """What is due from the member's today to `days` days later, overdue milestones and missed items included;
    two queries, and a third if there are cards for exams or quizzes in it.
    """
    today = member.today()
    until = today + timedelta(days=days)
    due = due_with_readiness(member, today, until)
    milestones = _OPEN.all(member_id=member.id, today=today, until=until)
    return {
        "today": today,
        "weekday": f"{today:%A}",
        "until": until,
        "items": due.items,
        "milestones": with_overdue(milestones, today),
        "readiness": due.readiness,
        "missed": due.missed,
    }

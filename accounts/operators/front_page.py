"""Panels of the operators' front page: new members, schedules, and pending work."""

from django.db.models import Count, Min, Q
from django.urls import reverse
from django.utils import timezone

from accounts.joining.models import Invitation
from accounts.members.last_runs import schedules
from accounts.members.models import Member
from accounts.members.outgoing_mail import OutgoingMail
from studyservice.admin.base import counted
from studyservice.admin.front_page import ALSO_WAITING, MOST_ROWS, Answer, Row
from studyservice.server.signals import BACKUP

_MEMBERS = "admin:accounts_member_changelist"


def _joined() -> list[Row]:
    newest = Member.objects.order_by("-created_at").values_list("id", "email", "created_at")[:MOST_ROWS]
    return [Row(email, reverse("admin:accounts_member_change", args=[key]), at) for key, email, at in newest]


def _schedules() -> list[Row]:
    found = []
    for schedule in schedules():
        never = "none here yet" if schedule.name == BACKUP else "has never run" if schedule.late else "nothing due yet"
        text = schedule.name if schedule.last else f"{schedule.name}: {never}"
        late = " is late" if schedule.late and schedule.last else ""
        guide = "/docs/bad-days#back-up-and-restore" if schedule.name == BACKUP else "/docs/operating#commands"
        found.append(Row(f"{text}{late}", guide if schedule.late else "", schedule.last, schedule.late))
    return found


def _waiting() -> list[Row]:
    now = timezone.now()
    mails = OutgoingMail.objects.aggregate(
        number=Count("id"), tried=Count("id", filter=Q(attempts__gt=1)), oldest=Min("created_at")
    )
    invited = Invitation.objects.filter(expires_at__gt=now).count()
    erasing = Member.objects.filter(erasure_began_at__isnull=False).aggregate(
        number=Count("id"), oldest=Min("erasure_began_at")
    )
    found = []
    if mails["number"]:
        tried = f", {mails['tried']} failed before" if mails["tried"] else ""
        text = f"{counted(mails['number'], 'e-mail')} to send{tried}"
        found.append(Row(text, "/docs/operating#e-mails", mails["oldest"], bool(mails["tried"])))
    if invited:
        found.append(
            Row(f"{counted(invited, 'invitation')} not accepted", reverse("admin:accounts_invitation_changelist"))
        )
    if erasing["number"]:
        text = f"{counted(erasing['number'], 'member')} being deleted"
        found.append(Row(text, "/docs/operating#deleting-a-member", erasing["oldest"]))
    for more in ALSO_WAITING:
        found += more()
    return found


JOINED = Answer("Who joined?", _joined, "Nobody yet.", permission="accounts.view_member", url=lambda: reverse(_MEMBERS))
SCHEDULES = Answer("Which schedules ran?", _schedules)
WAITING = Answer("What waits?", _waiting, "Nothing.", permission="accounts.view_member")

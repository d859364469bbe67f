"""Ending a member's sessions in the browser."""

from django.db.models import F

from accounts.models import Member


def end_sessions(member: Member) -> None:
    """Sign the member out of every browser at once; API keys and connected apps go on working."""
    Member.objects.filter(id=member.id).update(session_epoch=F("session_epoch") + 1)

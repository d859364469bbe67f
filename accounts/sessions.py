"""Ending a member's sessions in the browser."""

from django.db.models import F, QuerySet

from accounts.models import Member


def end_sessions(members: QuerySet[Member]) -> int:
    """Sign `members` out of every browser at once; gives how many members. API keys go on working."""
    return members.update(session_epoch=F("session_epoch") + 1)

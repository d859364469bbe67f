"""Declarations of this app's models with rows of members."""

from studyservice.models import Change, ChangeObject, IdempotencyKey
from studyservice.registry.data import ACCOUNT, Logged, MemberData, Visible, register
from studyservice.undo.seen import seen_changes

register(
    MemberData(
        Change,
        whole_member="tells of every object",
        archived="a file of its own",
        visible=Visible(seen=seen_changes),
        log=Logged(left_out="the log itself"),
    )
)
register(
    MemberData(
        ChangeObject,
        whole_member="tells of every object",
        archived="leads from objects to changes",
        no_admin="leads from objects to changes",
    )
)
register(
    MemberData(
        IdempotencyKey,
        whole_member=ACCOUNT,
        archived="answers to repeated calls, kept for a day",
        no_admin="answers to repeated calls",
    )
)

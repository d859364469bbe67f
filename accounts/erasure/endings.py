"""Ends of members, keys and calendar addresses that `redo-gone` repeats after a restore."""

from datetime import datetime

from accounts.credentials.api_keys import revoke_api_key
from accounts.credentials.calendar_feeds import end_feed
from accounts.credentials.models import ApiKey, CalendarFeed
from accounts.erasure.erasing import erase_member
from accounts.members.models import Member
from studyservice.gone import Ending


def _member(member_id: str, at: datetime) -> Member | None:
    return Member.objects.filter(id=member_id).first()


def _active_key(key_id: str, at: datetime) -> ApiKey | None:
    return ApiKey.objects.filter(id=key_id, revoked_at=None).first()


def _feed(feed_id: str, at: datetime) -> CalendarFeed | None:
    return CalendarFeed.objects.filter(id=feed_id).first()


OF_ACCOUNTS = {
    "member_erased": Ending(_member, lambda member: erase_member(member.id)),
    "key_revoked": Ending(_active_key, revoke_api_key),
    "calendar_ended": Ending(_feed, lambda feed: end_feed(feed.member_id)),
}

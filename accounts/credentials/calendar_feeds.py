"""The secret address of a member's calendar: create, renew, end and resolve it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated
from uuid import UUID

from django.conf import settings

from accounts.credentials.models import CalendarFeed
from accounts.credentials.owners import add_owner, delete_credentials, note_use, owner_of
from accounts.credentials.resolving import MemberColumns, member_columns, member_of
from accounts.members.models import Member
from studyservice.changes.writing import writing
from studyservice.database.rows import At, columns_of_row
from studyservice.database.statements import Param, Select
from studyservice.gone import note_gone
from studyservice.secrets.generated import kind_of, new_secret, sha256

KIND = "cal"
"""The kind in the prefix of the secret."""


class _FeedColumns(MemberColumns):
    feed_id: Annotated[UUID, At("id")]
    used: Annotated[datetime | None, At("last_used_at")]
    write_clock: Annotated[datetime, At("member__write_clock")]


_FEED = Select[_FeedColumns](
    CalendarFeed.objects.filter(member_id=Param("member_id"), secret_hash=Param("secret_hash"), member__is_active=True),
    columns_of_row(_FeedColumns) | member_columns("member"),
)


@dataclass(frozen=True, slots=True)
class Feed:
    """A live address.

    Attributes:
        id: identifies it in logs and in its rate limit; never the secret.
        member: owner of the calendar.
        write_clock: when the member's data was last changed (`studyservice.changes.writing`).
    """

    id: UUID
    member: Member
    write_clock: datetime


def new_feed(member: Member) -> str:
    """Return a new address. Its secret is not stored. An earlier address stops working.

    Raises:
        NotFound: the member was deleted meanwhile.
    """
    secret = new_secret(KIND)
    with writing(member.id):
        end_feed(member.id)
        CalendarFeed.objects.create(member_id=member.id, secret_hash=sha256(secret))
        add_owner(sha256(secret), member.id)
    return f"{settings.BASE_URL}/calendar/{secret}.ics"


def feed_of(member: Member) -> CalendarFeed | None:
    """The member's address, without its secret."""
    return CalendarFeed.objects.filter(member_id=member.id).first()


def end_feed(member_id: UUID) -> bool:
    """End the address. Return whether there was one."""
    feeds = CalendarFeed.objects.filter(member_id=member_id)
    ended = list(feeds.values_list("id", flat=True))
    if delete_credentials(feeds):
        note_gone("calendar_ended", *ended)
    return bool(ended)


def resolve_feed(secret: str) -> Feed | None:
    """Resolve the secret of an address, in one query, or two if its member is not cached in the process.

    None if it is wrong or ended. Sometimes records the use.
    """
    secret_hash = sha256(secret)
    member_id = owner_of(secret_hash) if kind_of(secret) == KIND else None
    if member_id is None:
        return None
    row = _FEED.first(member_id=member_id, secret_hash=secret_hash)
    if row is None:
        return None
    note_use(CalendarFeed, row["used"], member_id=member_id)
    return Feed(row["feed_id"], member_of(row), row["write_clock"])

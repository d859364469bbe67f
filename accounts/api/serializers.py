"""Answers about the member, and the parameters of list_changes."""

from datetime import date, datetime
from typing import Annotated, TypedDict
from uuid import UUID

from rest_framework import serializers

from accounts.credentials.limiting import LimitsRow
from studyservice.operations.answers import answer, example_of, one_of
from studyservice.operations.declaration import Scope
from studyservice.operations.fields import IdField
from studyservice.operations.query_fields import CursorField, QueryIntegerField
from studyservice.operations.serializers import Query


@answer(active=True, until=None, renew_url="https://study.example.org/renew")
class MembershipRow(TypedDict):
    """Whether the member's subscription is active."""

    active: Annotated[bool, "False when the subscription has lapsed."]
    until: Annotated[date | None, "Last day included, in the member's time zone; null if open-ended."]
    renew_url: Annotated[str | None, "Where the member renews; null without such a page."]


@answer(
    id="a4d9c1e8-3b7f-4a6d-8c2e-9f1b5d7a3c00",
    email="ada@example.org",
    name="Ada Park",
    time_zone="Europe/Paris",
    desired_retention=0.9,
    new_cards_a_day=20,
    morning_email=False,
    today="2030-11-21",
    weekday="Thursday",
    practice_streak=4,
    membership=example_of(MembershipRow),
    scopes=["read", "write"],
    limits=None,
    created_at="2030-09-01T08:30:00.000000Z",
)
class MemberRow(TypedDict):
    """The member, and what this credential may do."""

    id: Annotated[UUID, "The member's id."]
    email: Annotated[str, serializers.EmailField, "E-mail address."]
    name: Annotated[str, "Name; may be empty."]
    time_zone: Annotated[str, "IANA time zone; decides what “today” is."]
    desired_retention: Annotated[float, "How likely the member wants to know a card when it comes up, 0.7 to 0.99."]
    new_cards_a_day: Annotated[
        int | None,
        "How many new flashcards the member starts a day, over all decks; null: no limit. Set on this site's "
        "page /account, or by update_me.",
    ]
    morning_email: Annotated[bool, "Whether the member gets an e-mail each morning with what is due."]
    today: Annotated[date, "Today in the member's time zone."]
    weekday: Annotated[str, "The weekday of today, such as Monday."]
    practice_streak: Annotated[int, "Days in a row with practice, up to today or yesterday."]
    membership: Annotated[MembershipRow, "The member's subscription."]
    scopes: Annotated[list[Annotated[str, one_of(Scope)]], "What this credential may do."]
    limits: Annotated[LimitsRow | None, "The limits of this credential; null if none."]
    created_at: Annotated[datetime, "When the member joined."]


class ChangesQuery(Query):
    """Parameters of list_changes."""

    object_id = IdField(required=False, help_text="Only changes that made, changed or deleted this object.")
    limit = QueryIntegerField(min_value=1, max_value=100, default=25, help_text="Changes per page.")
    cursor = CursorField(required=False, help_text="The previous page's next_cursor.")

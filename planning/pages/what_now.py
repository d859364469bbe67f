"""Steps for the member's minutes, shown on the home page under "What now"."""

from collections.abc import Mapping
from typing import NamedTuple
from uuid import UUID

from django.http import HttpRequest
from django.urls import reverse

from planning.agenda_serializers import NowRow, StepRow

CHOICES = (15, 30, 60, 120)
"""Choices of minutes."""

USUAL = 30
"""Default minutes."""

MOST_SHOWN = 3


class Shown(NamedTuple):
    """A step in the list.

    Attributes:
        path: the item's page, or the page for studying the deck; empty for a topic whose deck was deleted.
        course_id: of the course of the item or the deck; None for a topic.
        reason: the first reason.
    """

    title: str
    path: str
    minutes: int
    cards: int | None
    course: str | None
    course_id: UUID | None
    reason: str


def minutes_asked(request: HttpRequest) -> int:
    """The chosen minutes."""
    return next((minutes for minutes in CHOICES if request.GET.get("minutes") == str(minutes)), USUAL)


def what_now(now: NowRow, courses: Mapping[UUID, UUID | None]) -> dict[str, object]:
    """The first steps. `courses` has the course of each item and deck."""
    steps = [_shown(step, courses) for step in now["steps"][:MOST_SHOWN]]
    return {"steps": steps, "minutes": now["minutes"], "choices": CHOICES}


def _shown(step: StepRow, courses: Mapping[UUID, UUID | None]) -> Shown:
    item_id, deck_id = step["item_id"], step["deck_id"]
    path = ""
    if item_id is not None:
        path = reverse("item", args=[item_id])
    elif deck_id is not None:
        path = reverse("study-deck", args=[deck_id])
    return Shown(
        title=step["title"],
        path=path,
        minutes=step["minutes"],
        cards=step["cards"],
        course=step["course_name"],
        course_id=courses.get(subject) if (subject := item_id or deck_id) else None,
        reason=step["because"][0]["text"],
    )

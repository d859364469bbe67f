"""The study page: one card at a time, from all decks or one."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode

from accounts.models import Member
from accounts.pages.signed_in import FORM, POST, for_active_members
from courses.items import get_item
from studyservice.changes.calls import required_call
from studyservice.operations.errors import Conflict, NotFound, ValidationFailed
from studyservice.operations.fields import parse_uuid
from studyservice.rows.access import Access
from studyservice.undo.undo import undo_change
from vocab.card_changes import NoSuchCard
from vocab.models import MAX_DURATION_MS, Rating
from vocab.pages.formulas import with_formulas
from vocab.pages.sittings import MORE_NEW, Queue, Sitting
from vocab.pages.words import until
from vocab.reviews import AnsweredSince, review_vocab_card
from vocab.studying import DAYS_AHEAD, Turn, next_dates

_LAST_MOMENT = 10**15
"""Maximum time in a form, in milliseconds since 1970."""

_LONG = 40
"""Characters above which a term has a smaller type and may be scrolled."""

_MANY_LINES = 3


class RatingButton(NamedTuple):
    """A button that rates a card.

    Attributes:
        key: its keyboard shortcut.
        next: the card's next due time with this rating, in words.
    """

    value: str
    label: str
    key: int
    next: str


class _AnswerForm(forms.Form):
    """The form of a card: its reviews when it was shown, and the time of that, in milliseconds since 1970."""

    card = forms.UUIDField()
    reps = forms.IntegerField(min_value=0)
    shown = forms.IntegerField(min_value=0, max_value=_LAST_MOMENT)
    rating = forms.ChoiceField(choices=Rating.choices)


@for_active_members(FORM)
def study(
    request: HttpRequest, member: Member, deck_id: UUID | None = None, item_id: UUID | None = None
) -> HttpResponse:
    """On GET, show the next card, or that none is left. On POST, record an answer and show the next card."""
    sitting, queue = Sitting(request), Queue.of(request, member.today(), deck_id, item_id)
    if request.method == "POST":
        _record(request, member, sitting)
        return redirect(queue.address(sitting.id))
    now = timezone.now()
    try:
        item = None if item_id is None else get_item(Access(member), item_id)
        turn = queue.turn(Access(member), now, parse_uuid(request.GET.get("card")))
    except ValidationFailed as error:  # since the page of the item was opened
        messages.warning(request, (error.details or [])[0]["message"])
        return redirect("item", item_id=item_id)
    zone = ZoneInfo(member.time_zone)
    context = {
        "turn": turn,
        "sitting": sitting,
        "all": sitting.done + turn.left,
        "deck_id": deck_id,
        "item": item,
        "here": queue.address(),
        "plan": "" if item_id is None else f"{reverse('item', args=[item_id])}?minutes={queue.minutes}#ready",
        "undo": queue.address(undo=True),
    }
    with timezone.override(zone):
        if turn.card is None:
            return render(
                request, "vocab/study_done.html", context | _upcoming(Access(member), now, turn, queue, sitting)
            )
        dates = next_dates(Access(member), turn.card, now)
        buttons = [
            RatingButton(rating.value, rating.label, key, until(now.astimezone(zone), dates[rating].astimezone(zone)))
            for key, rating in enumerate(Rating, 1)
        ]
        changing = reverse("card", args=[turn.card["deck_id"], turn.card["id"]])
        context["change"] = f"{changing}?{urlencode({**queue.query(), 'sitting': sitting.id})}"
        term = turn.card["term"]
        context |= {"term": with_formulas(term), "definition": with_formulas(turn.card["definition"])}
        context["is_long"] = len(term) > _LONG or term.count("\n") >= _MANY_LINES
        return render(request, "vocab/study.html", context | {"buttons": buttons, "shown": _milliseconds(now)})


@for_active_members(POST)
def undo_answer(
    request: HttpRequest, member: Member, deck_id: UUID | None = None, item_id: UUID | None = None
) -> HttpResponse:
    """Undo the newest answer of the sitting if the form names it, and show its card again."""
    sitting, queue = Sitting(request), Queue.of(request, member.today(), deck_id, item_id)
    last = sitting.last
    if last is None or last["review"] != request.POST.get("answer"):
        return redirect(queue.address(sitting.id))
    try:
        undo_change(Access(member), UUID(last["review"]))
    except (Conflict, NotFound) as error:
        why = error.message if isinstance(error, Conflict) else "This answer is gone already."
        messages.warning(request, f"Nothing was undone. {why}")
        sitting.forget_last()
        return redirect(queue.address(sitting.id))
    sitting.remove_last()
    return redirect(queue.address(sitting.id, card=last["card"]))


def _record(request: HttpRequest, member: Member, sitting: Sitting) -> None:
    """Record the answer of the form. Does nothing if it was sent before, or if the card was answered or deleted.

    Raises:
        Http404: it is not a card's form.
    """
    form = _AnswerForm(request.POST)
    if not form.is_valid():
        raise Http404
    card_id, reps, shown, rating = (form.cleaned_data[name] for name in ("card", "reps", "shown", "rating"))
    if sitting.was_sent(shown):
        return
    took = min(max(0, _milliseconds(timezone.now()) - shown), MAX_DURATION_MS)
    try:
        review_vocab_card(Access(member), card_id, rating=rating, duration_ms=took, shown_reps=reps)
    except (AnsweredSince, NoSuchCard):
        return
    review_id = required_call().change_id
    if review_id is None:
        raise RuntimeError("A review left no change.")
    sitting.add(review_id, card_id, rating, shown)


def _milliseconds(at: datetime) -> int:
    return int(at.timestamp() * 1000)


def _upcoming(access: Access, now: datetime, turn: Turn, queue: Queue, sitting: Sitting) -> dict[str, object]:
    """The upcoming reviews, and what the sitting can continue with, shown below its summary."""
    told = queue.coming(access, now, turn)
    a_day, next_at, zone = access.member.new_cards_a_day, told["next_at"], ZoneInfo(access.member.time_zone)
    more_new = min(MORE_NEW, turn.new_waiting)
    return {
        "more_new": more_new,
        "with_new": queue.with_new(turn.begun_today, more_new).address(sitting.id),
        "with_ahead": queue.with_ahead(now).address(sitting.id),
        "coming": told,
        "can_go_ahead": told["ahead"] and queue.item_id is None,
        "days_ahead": DAYS_AHEAD,
        "new_tomorrow": turn.new_waiting if a_day is None else min(turn.new_waiting, a_day),
        "in_words": "" if next_at is None else until(now.astimezone(zone), next_at.astimezone(zone)),
        "a_day": a_day,
        "other_decks": turn.elsewhere if queue.deck_id or queue.item_id else 0,
    }

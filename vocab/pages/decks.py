"""The pages of a member's decks: the list, one deck, creating, changing, downloading and deleting."""

from datetime import datetime
from html import escape
from http import HTTPStatus
from typing import NamedTuple, cast
from uuid import UUID
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from accounts.models import Member
from accounts.pages.signed_in import FORM, READ, for_active_members
from courses.pages.colors import courses_here
from studyservice.http.bodies import download_response
from studyservice.operations.errors import Conflict, ValidationFailed
from studyservice.rows.access import Access
from vocab.card_changes import CARDS_OF_DECK, DeckCard, add_vocab_cards, cards_of
from vocab.deck_creation import DECKS, create_vocab_deck
from vocab.deck_files import FORMATS, export_vocab_deck
from vocab.decks import delete_vocab_deck, left_today, list_vocab_decks, update_vocab_deck
from vocab.models import CardState
from vocab.pages.forms import CardForm, DeckForm, NewDeckForm
from vocab.pages.words import due_in_words
from vocab.serializers import CardEntryFields, DeckRow
from vocab.studying import coming
from vocab.views import DeckViewSet

MOST_SEARCHED = 100
"""Maximum length of a search text, in characters."""

MOST_TEXT = 700_000
"""Maximum bytes of the cards in a page's HTML, so that the page stays below 1 MB."""

_CUTS = (2000, 500, 200, 100, 30)
"""Possible lengths of definitions in a list, in characters. The longest that fits is used; the card's own page shows
all.
"""


class Listed(NamedTuple):
    """A card in the list.

    Attributes:
        definition: shortened if there is not enough space.
        due: the due time in words; empty for a new or a suspended card.
    """

    card: DeckCard
    definition: str
    due: str


@for_active_members(READ)
def deck_list(request: HttpRequest, member: Member) -> HttpResponse:
    """Every deck with its counts; below them those of ended courses, without counts."""
    every = list_vocab_decks(Access(member), include_cards=False)
    archived = {course["id"] for course in courses_here(request) if course["archived"]}
    decks = [deck for deck in every if deck["course_id"] not in archived]
    ids, left = [deck["id"] for deck in decks], left_today(Access(member), decks)
    context = {
        "decks": decks,
        "ended": [deck for deck in every if deck["course_id"] in archived],
        "left": left,
        "coming": None if left or not ids else coming(Access(member), timezone.now(), ids),
        "full": len(every) >= DECKS.most,
        "most": DECKS.most,
    }
    with timezone.override(ZoneInfo(member.time_zone)):
        return render(request, "vocab/decks.html", context)


@for_active_members(FORM)
def deck_page(request: HttpRequest, member: Member, deck_id: UUID) -> HttpResponse:
    """Show the deck with its cards, filtered by `q`, on GET. A post adds a card."""
    deck = _deck(Access(member), deck_id)
    form = CardForm(request.POST if request.method == "POST" else None)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    if form.is_valid():
        try:
            form.make_once(
                request,
                member,
                DeckViewSet.add_vocab_cards,
                lambda: add_vocab_cards(Access(member), deck_id, cards=[form.card()]),
            )
        except Conflict as error:
            form.add_error(None, error.message)
            status = error.status
        else:
            messages.success(request, f"Added “{form.card()['term']}”.")
            return redirect(f"{reverse('deck', args=[deck_id])}?add=1")
    elif not form.is_bound and "add" in request.GET:
        form.fields["term"].widget.attrs["autofocus"] = True
    return _page(request, member, deck, form, status)


@for_active_members(FORM)
def new_deck(request: HttpRequest, member: Member) -> HttpResponse:
    """Create a deck with its first card."""
    form = NewDeckForm(request.POST if request.method == "POST" else None, member=member)
    form.initial = {"course_id": request.GET.get("course", "")}
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    if form.is_valid():
        cards = [cast("CardEntryFields", form.card())]
        try:
            deck = form.make_once(
                request,
                member,
                DeckViewSet.create_vocab_deck,
                lambda: create_vocab_deck(Access(member), cards=cards, **form.deck())[0],
            )
        except (Conflict, ValidationFailed) as error:  # the latter if the course was deleted meanwhile
            form.add_error(None, error.message)
            status = error.status
        else:
            messages.success(request, f"Added “{deck['name']}”.")
            return redirect(f"{reverse('deck', args=[deck['id']])}?add=1")
    return render(request, "vocab/new_deck.html", {"form": form}, status=status)


@for_active_members(FORM)
def change_deck(request: HttpRequest, member: Member, deck_id: UUID) -> HttpResponse:
    """Change the name and the course of a deck."""
    deck = _deck(Access(member), deck_id)
    stored = {"name": deck["name"], "course_id": deck["course_id"]}
    form = DeckForm(request.POST if request.method == "POST" else None, member=member, stored=stored)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    if form.is_valid():
        try:
            if changes := form.changes():
                update_vocab_deck(Access(member), deck_id, **changes)
                messages.success(request, "Saved.")
        except ValidationFailed as error:  # the course was deleted meanwhile
            form.add_error("course_id", error.message)
            status = error.status
        else:
            return redirect("deck", deck_id=deck_id)
    return render(request, "vocab/change_deck.html", {"deck": deck, "form": form}, status=status)


@for_active_members(FORM)
def delete_deck(request: HttpRequest, member: Member, deck_id: UUID) -> HttpResponse:
    """Ask on GET, delete on POST."""
    deck = _deck(Access(member), deck_id)
    if request.method != "POST":
        return render(request, "vocab/delete_deck.html", {"deck": deck})
    delete_vocab_deck(Access(member), deck_id)
    messages.success(request, f"“{deck['name']}” is deleted.")
    return redirect("decks")


@for_active_members(READ)
def export_deck(request: HttpRequest, member: Member, deck_id: UUID) -> HttpResponseBase:
    """Download the deck as a file."""
    format_ = request.GET.get("format", "csv")
    if format_ not in FORMATS:
        raise Http404
    return download_response(export_vocab_deck(Access(member), deck_id, format=format_), HTTPStatus.OK)


def _deck(access: Access, deck_id: UUID) -> DeckRow:
    """The deck.

    Raises:
        Http404: the member has no such deck.
    """
    for deck in list_vocab_decks(access, include_cards=False, deck_id=deck_id):
        return deck
    raise Http404


def _page(
    request: HttpRequest, member: Member, deck: DeckRow, form: CardForm, status: HTTPStatus = HTTPStatus.OK
) -> HttpResponse:
    q = request.GET.get("q", "").strip()[:MOST_SEARCHED]
    cards = cards_of(Access(member), deck["id"], q)
    now, zone = timezone.now(), ZoneInfo(member.time_zone)
    context = {
        "deck": deck,
        "form": form,
        "cards": _listed(cards, now.astimezone(zone), zone),
        "q": q,
        "most_searched": MOST_SEARCHED,
        "full": deck["card_count"] >= CARDS_OF_DECK.most,
        "adding": form.is_bound or "add" in request.GET,
        "exports": FORMATS,
    }
    with timezone.override(zone):
        return render(request, "vocab/deck.html", context, status=status)


def _listed(cards: list[DeckCard], now: datetime, zone: ZoneInfo) -> list[Listed]:
    """The cards, with definitions shortened to the available space."""
    terms = sum(_size(card["term"]) for card in cards)
    shown: list[str] = []
    for most in _CUTS:
        shown = [_cut(card["definition"], most) for card in cards]
        if terms + sum(map(_size, shown)) <= MOST_TEXT:
            break
    return [Listed(card, definition, _due(card, now, zone)) for card, definition in zip(cards, shown, strict=True)]


def _due(card: DeckCard, now: datetime, zone: ZoneInfo) -> str:
    if card["suspended"] or card["state"] == CardState.NEW:
        return ""
    return due_in_words(now, card["due_at"].astimezone(zone))


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


def _size(text: str) -> int:
    """The size of the text in a page, in bytes."""
    return len(escape(text).encode())

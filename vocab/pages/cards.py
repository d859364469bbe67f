"""Changing a card on its own page, and suspending or deleting cards in the list of a deck."""

from http import HTTPStatus
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode

from accounts.models import Member
from accounts.pages.once import address_here
from accounts.pages.signed_in import FORM, POST, for_active_members
from studyservice.operations.fields import parse_uuid
from studyservice.rows.access import Access
from vocab.card_changes import cards_of, delete_vocab_card, require_card, update_vocab_card
from vocab.pages.forms import CardChangesForm
from vocab.pages.sittings import EXTRA, Queue
from vocab.serializers import CardRow

_ACTIONS = ("delete", "suspend", "resume")
"""Names of the buttons in a list. Their value is the card's id."""


@for_active_members(FORM)
def card_page(request: HttpRequest, member: Member, deck_id: UUID, card_id: UUID) -> HttpResponse:
    """The form of a card. Saving it returns to its deck, or to the study page if opened from there."""
    card = _card(Access(member), deck_id, card_id)
    stored = {"term": card["term"], "definition": card["definition"], "suspended": card["suspended"]}
    back = _back(request, member, card)
    context = {"card": card, "here": address_here(request, "study", "item", "minutes", *EXTRA, "sitting"), "back": back}
    form = CardChangesForm(request.POST if request.method == "POST" else None, stored=stored)
    if not form.is_valid():
        status = HTTPStatus.UNPROCESSABLE_ENTITY if form.is_bound else HTTPStatus.OK
        return render(request, "vocab/card.html", context | {"form": form}, status=status)
    if changes := form.changes():
        changed = update_vocab_card(Access(member), card_id, **changes)
        messages.success(request, f"Saved “{changed['term']}”.")
    return redirect(back)


@for_active_members(POST)
def change_cards(request: HttpRequest, member: Member, deck_id: UUID) -> HttpResponse:
    """Suspend, resume or delete the card of the pressed button, and show the list at the same position."""
    action = next((name for name in _ACTIONS if name in request.POST), None)
    card_id = parse_uuid(request.POST.get(action or ""))
    if action is None or card_id is None:
        raise Http404
    card = _card(Access(member), deck_id, card_id)
    q = request.POST.get("q", "")
    place: UUID | None = card_id
    if action == "delete":
        place = _neighbor(Access(member), card, q)
        delete_vocab_card(Access(member), card_id)
        messages.success(request, f"“{card['term']}” is deleted.")
    else:
        update_vocab_card(Access(member), card_id, suspended=action == "suspend")
        told = "is suspended. It is not asked until you resume it" if action == "suspend" else "is asked again"
        messages.success(request, f"“{card['term']}” {told}.")
    address = reverse("deck", args=[deck_id])
    query = f"?{urlencode({'q': q})}" if q else ""
    return redirect(f"{address}{query}{'' if place is None else f'#card-{place}'}")


def _back(request: HttpRequest, member: Member, card: CardRow) -> str:
    """The page to return to."""
    deck_id, card_id = card["deck_id"], str(card["id"])
    queue = Queue.named(request, member.today(), deck_id)
    if queue is None:
        return f"{reverse('deck', args=[deck_id])}#card-{card_id}"
    return queue.address(request.GET.get("sitting", ""), card=card_id)


def _card(access: Access, deck_id: UUID, card_id: UUID) -> CardRow:
    """The card in this deck.

    Raises:
        Http404: the member has no such card in it.
    """
    card = require_card(access, card_id)
    if card["deck_id"] != deck_id:
        raise Http404
    return card


def _neighbor(access: Access, card: CardRow, q: str) -> UUID | None:
    """The next card in the list, or else the one before."""
    ids = [one["id"] for one in cards_of(access, card["deck_id"], q)]
    if card["id"] not in ids or len(ids) == 1:
        return None
    place = ids.index(card["id"])
    return ids[place + 1] if place + 1 < len(ids) else ids[place - 1]

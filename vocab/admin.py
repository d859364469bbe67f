"""Decks and cards in the admin. The review log is read-only, below its card."""

from typing import Any, cast

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from accounts.rows.access import Access
from studyservice.admin.base import ServiceAdmin, ServiceInline
from studyservice.operations.errors import NotFound
from vocab.card_changes import delete_vocab_card, update_vocab_card
from vocab.decks import delete_vocab_deck, update_vocab_deck
from vocab.errors import NoSuchCard, NoSuchDeck
from vocab.models import Card, Deck, Review
from vocab.serializers import CardChanges, CardChangesBody, DeckDetailsBody, DeckFields


def _fields(obj: Deck | Card, body: type[DeckDetailsBody | CardChangesBody]) -> dict[str, Any]:
    """Return the fields of a body with the values of the form."""
    return {name: getattr(obj, name) for name in body.Meta.fields}


@admin.register(Deck)
class DeckAdmin(ServiceAdmin):
    """Members create decks. Operators can find, rename, move and delete them."""

    list_display = ("name", "member", "course", "created_at")
    list_select_related = ("member", "course")
    ordering = ("member_id", "created_at", "id")
    raw_id_fields = ("course",)
    fields = ("name", "course", "member", "cards", "created_at", "updated_at")
    readonly_fields = ("member", "cards", "created_at", "updated_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Deck]:
        """Without the syllabus texts of their courses."""
        found: QuerySet[Deck] = super().get_queryset(request).defer("course__syllabus_text")
        return found

    @admin.display(description="cards")
    def cards(self, deck: Deck) -> str:
        """A link to the cards, which are too many for one form."""
        address = reverse("admin:vocab_card_changelist")
        return format_html('<a href="{}?deck__id__exact={}">{} cards</a>', address, deck.id, deck.card_count)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Deck, form: Any, change: bool) -> None:
        """Change like update_vocab_deck."""
        try:
            update_vocab_deck(Access(obj.member), obj.id, **cast("DeckFields", _fields(obj, DeckDetailsBody)))
        except NoSuchDeck:
            raise NotFound("The deck was deleted meanwhile.") from None

    def delete_model(self, request: HttpRequest, obj: Deck) -> None:
        """Delete like delete_vocab_deck."""
        delete_vocab_deck(Access(obj.member), obj.id)


class ReviewInline(ServiceInline):
    """A card's review log."""

    model = Review
    ordering = ("reviewed_at",)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never: reviews are deleted with their card."""
        return False


@admin.register(Card)
class CardAdmin(ServiceAdmin):
    """Operators can correct and suspend a card. Its state belongs to FSRS."""

    text_path = "term"
    list_display = ("term", "deck", "member", "state", "due_at", "reps", "lapses")
    list_filter = ("state", "suspended")
    list_select_related = ("deck", "member")
    ordering = ("member_id", "deck_id", "due_at", "id")
    readonly_fields = ("member", "deck", "state", "step", "stability", "difficulty", "due_at", "reps", "lapses")
    inlines = (ReviewInline,)

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Allow the filter by deck, which the deck's page links."""
        return lookup == "deck__id__exact" or super().lookup_allowed(lookup, value, request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Card, form: Any, change: bool) -> None:
        """Change like update_vocab_card. The schedule is not written, so a concurrent review is kept."""
        try:
            update_vocab_card(Access(obj.member), obj.id, **cast("CardChanges", _fields(obj, CardChangesBody)))
        except NoSuchCard:
            raise NotFound("The card was deleted meanwhile.") from None

    def delete_model(self, request: HttpRequest, obj: Card) -> None:
        """Delete it with its review log, after any running review. Practice history keeps the attempts."""
        delete_vocab_card(Access(obj.member), obj.id)

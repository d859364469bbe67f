"""Decks and cards in the admin. The review log is read-only, below its card."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from accounts.operators.base import ServiceInline, StudyDataAdmin
from vocab.card_changes import delete_vocab_card, update_vocab_card
from vocab.decks import delete_vocab_deck, update_vocab_deck
from vocab.models import Card, Deck, Review


@admin.register(Deck)
class DeckAdmin(StudyDataAdmin):
    """Members create decks. Operators can find, rename, move and delete them."""

    list_display = ("name", "member", "course", "created_at")
    list_select_related = ("member", "course")
    ordering = ("member_id", "created_at", "id")
    raw_id_fields = ("course",)
    fields = ("name", "course", "member", "cards", "created_at", "updated_at")
    readonly_fields = ("member", "cards", "created_at", "updated_at")
    unread = ("course__syllabus_text",)
    update = staticmethod(update_vocab_deck)
    delete = staticmethod(delete_vocab_deck)

    @admin.display(description="cards")
    def cards(self, deck: Deck) -> str:
        """A link to the cards, which are too many for one form."""
        address = reverse("admin:vocab_card_changelist")
        return format_html('<a href="{}?deck__id__exact={}">{} cards</a>', address, deck.id, deck.card_count)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False


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
class CardAdmin(StudyDataAdmin):
    """Operators can correct and suspend a card. Its state belongs to FSRS."""

    text_path = "term"
    list_display = ("term", "deck", "member", "state", "due_at", "reps", "lapses")
    list_filter = ("state", "suspended")
    list_select_related = ("deck", "member")
    ordering = ("member_id", "deck_id", "due_at", "id")
    readonly_fields = ("member", "deck", "state", "step", "stability", "difficulty", "due_at", "reps", "lapses")
    inlines = (ReviewInline,)
    linked_filters = ("deck__id__exact",)
    update = staticmethod(update_vocab_card)
    delete = staticmethod(delete_vocab_card)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

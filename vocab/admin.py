"""Decks and cards for the operators. The review log stands below its card and is changed nowhere."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from accounts.writing import writing
from studyservice.admin.base import ServiceAdmin, ServiceInline
from studyservice.operations.errors import NotFound
from vocab.cards import remove_card
from vocab.decks import delete_vocab_deck
from vocab.models import Card, Deck, Review


@admin.register(Deck)
class DeckAdmin(ServiceAdmin):
    """Decks are made by their members; here they are found, renamed, moved to a course and deleted."""

    list_display = ("name", "member", "course", "created_at")
    list_select_related = ("member", "course")
    ordering = ("member_id", "created_at", "id")
    raw_id_fields = ("course",)
    fields = ("name", "course", "member", "cards", "created_at", "updated_at")
    readonly_fields = ("member", "cards", "created_at", "updated_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Deck]:
        """Without the syllabi of their courses."""
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
        """Save under the member's lock, like every change of the member's data."""
        with writing(obj.member_id, "update_vocab_deck") as write:
            mine = Deck.objects.filter(member_id=obj.member_id, id=obj.id)
            stored = mine.values("name", "course_id").first()
            if stored is None:
                raise NotFound("The deck was deleted meanwhile.")
            edited = {"name": obj.name, "course_id": obj.course_id}
            if different := write.differing(Deck, obj.id, stored["name"], stored, edited):
                mine.update(**different, updated_at=write.now)

    def delete_model(self, request: HttpRequest, obj: Deck) -> None:
        """As delete_vocab_deck does it."""
        delete_vocab_deck(obj.member, obj.id)


class ReviewInline(ServiceInline):
    """A card's review log."""

    model = Review
    ordering = ("reviewed_at",)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never: lines leave with their card."""
        return False


@admin.register(Card)
class CardAdmin(ServiceAdmin):
    """A card's text can be corrected; its state is FSRS's."""

    text_path = "term"
    list_display = ("term", "deck", "member", "state", "due_at", "reps", "lapses")
    list_filter = ("state",)
    list_select_related = ("deck", "member")
    ordering = ("member_id", "deck_id", "due_at", "id")
    readonly_fields = ("member", "deck", "state", "step", "stability", "difficulty", "due_at", "reps", "lapses")
    inlines = (ReviewInline,)

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Also the cards of one deck, for the link from there."""
        return lookup == "deck__id__exact" or super().lookup_allowed(lookup, value, request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Card, form: Any, change: bool) -> None:
        """Save the text alone, so that a review at the same moment is not undone."""
        with writing(obj.member_id, "update_vocab_card") as write:
            mine = Card.objects.filter(member_id=obj.member_id, id=obj.id)
            stored = mine.values("term", "definition").first()
            if stored is None:
                raise NotFound("The card was deleted meanwhile.")
            edited = {"term": obj.term, "definition": obj.definition}
            if different := write.differing(Card, obj.id, stored["term"], stored, edited):
                mine.update(**different)

    def delete_model(self, request: HttpRequest, obj: Card) -> None:
        """Remove it with its review log, after a review that is under way; practice history keeps the attempts."""
        with writing(obj.member_id, "delete_vocab_card") as write:
            remove_card(write, obj)

"""Decks, cards and desired retention in the admin. The review log is shown with its card and changed nowhere."""

from typing import TYPE_CHECKING, Any, ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from accounts.writing import writing
from vocab.decks import delete_vocab_deck
from vocab.models import Card, Deck, RetentionGoal, Review

if TYPE_CHECKING:
    DeckAdminBase = admin.ModelAdmin[Deck]
    CardAdminBase = admin.ModelAdmin[Card]
    RetentionGoalAdminBase = admin.ModelAdmin[RetentionGoal]
    ReviewInlineBase = admin.TabularInline[Review, Card]
else:
    DeckAdminBase = CardAdminBase = RetentionGoalAdminBase = admin.ModelAdmin
    ReviewInlineBase = admin.TabularInline


@admin.register(Deck)
class DeckAdmin(DeckAdminBase):
    """Decks are made by their members; here they are found, renamed, moved to a course and deleted."""

    list_display = ("name", "member", "course", "created_at")
    list_select_related = ("member", "course")
    search_fields = ("name", "member__email__startswith")
    raw_id_fields = ("course",)
    readonly_fields = ("member", "cards", "created_at", "updated_at")
    show_full_result_count = False

    @admin.display(description="cards")
    def cards(self, deck: Deck) -> str:
        """A link to the cards, which are too many for one form."""
        address = reverse("admin:vocab_card_changelist")
        return format_html(
            '<a href="{}?deck__id__exact={}">{} cards</a>',
            address,
            deck.id,
            Card.objects.filter(member_id=deck.member_id, deck_id=deck.id).count(),
        )

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody."""
        return False

    def save_model(self, request: HttpRequest, obj: Deck, form: Any, change: bool) -> None:
        """Save under the member's lock, like every change of the member's data."""
        with writing(obj.member_id) as now:
            obj.updated_at = now
            super().save_model(request, obj, form, change)

    def delete_model(self, request: HttpRequest, obj: Deck) -> None:
        """Delete as the member would."""
        delete_vocab_deck(obj.member, obj.id)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Deck]) -> None:
        """Delete each as its member would."""
        for deck in queryset.select_related("member"):
            delete_vocab_deck(deck.member, deck.id)


class ReviewInline(ReviewInlineBase):
    """A card's review log."""

    model = Review
    ordering: ClassVar[tuple[str, ...]] = ("reviewed_at",)

    def has_add_permission(self, request: HttpRequest, obj: Card | None = None) -> bool:
        """Nobody."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Card | None = None) -> bool:
        """Nobody."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Card | None = None) -> bool:
        """Nobody: lines leave with their card."""
        return False


@admin.register(Card)
class CardAdmin(CardAdminBase):
    """A card's text can be corrected; its state is FSRS's."""

    list_display = ("term", "deck", "member", "state", "due_at", "reps", "lapses")
    list_filter = ("state",)
    list_select_related = ("deck", "member")
    search_fields = ("term", "member__email__startswith")
    readonly_fields = ("member", "deck", "state", "step", "stability", "difficulty", "due_at", "reps", "lapses")
    inlines = (ReviewInline,)
    show_full_result_count = False

    def lookup_allowed(self, lookup: str, value: Any, request: HttpRequest) -> bool:
        """Also the cards of one deck, for the link from there."""
        return lookup == "deck__id__exact" or super().lookup_allowed(lookup, value, request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody."""
        return False

    def save_model(self, request: HttpRequest, obj: Card, form: Any, change: bool) -> None:
        """Save the text alone, so that a review at the same moment is not undone."""
        obj.save(update_fields=["term", "definition"])


@admin.register(RetentionGoal)
class RetentionGoalAdmin(RetentionGoalAdminBase):
    """How likely a member wants to know a card when it comes up."""

    list_display = ("member", "desired_retention")
    list_select_related = ("member",)
    search_fields = ("member__email__startswith",)
    raw_id_fields = ("member",)

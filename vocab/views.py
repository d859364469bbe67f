"""Operations on decks and cards."""

from http import HTTPStatus
from uuid import UUID

from accounts.viewsets import MemberViewSet
from studyservice.operations.declaration import Scope, operation
from studyservice.operations.serializers import Deleted, DeletedRow, Page, page
from vocab import decks, reviews
from vocab.serializers import CardRecord, CardRow, DeckBody, DeckRecord, DeckRow, DecksQuery, ReviewBody


class DeckViewSet(MemberViewSet):
    """A member's decks."""

    tag = "Vocabulary"

    @operation("List vocabulary decks", scope=Scope.READ, answer=DeckRecord, many=True, query=DecksQuery)
    def list_vocab_decks(self) -> Page[DeckRow]:
        """All flashcard decks, oldest first, with how many of their cards are due. With deck_id only that deck, and
        with include_cards its cards too, due first; due_only and limit give the few to ask next.
        """
        return page(decks.list_vocab_decks(self.member, **self.query))

    @operation(
        "Create a vocabulary deck",
        scope=Scope.WRITE,
        answer=DeckRecord,
        status=HTTPStatus.CREATED,
        body=DeckBody,
        long_body=True,
        counted=True,
        reread=decks.reread_vocab_deck,
    )
    def create_vocab_deck(self) -> DeckRow:
        """Create a flashcard deck with 1 to 500 cards, each a term and its definition, all due at once. A member can
        have 100 decks; one more answers conflict. With include_cards false the answer is short.
        """
        return decks.create_vocab_deck(self.member, **self.body)

    @operation("Delete a vocabulary deck", scope=Scope.WRITE, answer=Deleted, consequential=True)
    def delete_vocab_deck(self, deck_id: UUID) -> DeletedRow:
        """Permanently delete a flashcard deck with its cards and their review log. Practice statistics keep what was
        practised. Confirm with the member first.
        """
        return decks.delete_vocab_deck(self.member, deck_id)


class CardViewSet(MemberViewSet):
    """The cards of a deck."""

    tag = "Vocabulary"

    @operation(
        "Review a card",
        scope=Scope.WRITE,
        answer=CardRecord,
        status=HTTPStatus.CREATED,
        body=ReviewBody,
        exists=reviews.require_card,
    )
    def review_vocab_card(self, card_id: UUID) -> CardRow:
        """Record how well the member knew a flashcard: again, hard, good or easy. Answers the card with the time it
        comes up next. Counts as an attempt in practice, correct unless again.
        """
        return reviews.review_vocab_card(self.member, card_id, **self.body)

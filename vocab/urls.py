"""Routes of decks and cards."""

from django.urls import path

from vocab.views import CardViewSet, DeckViewSet

urlpatterns = [
    path("vocab-decks", DeckViewSet.as_view({"get": "list_vocab_decks", "post": "create_vocab_deck"})),
    path("vocab-decks/import", DeckViewSet.as_view({"post": "import_vocab_decks"})),
    path("vocab-decks/<deck_id>", DeckViewSet.as_view({"patch": "update_vocab_deck", "delete": "delete_vocab_deck"})),
    path("vocab-decks/<deck_id>/cards", DeckViewSet.as_view({"post": "add_vocab_cards"})),
    path("vocab-decks/<deck_id>/export", DeckViewSet.as_view({"get": "export_vocab_deck"})),
    path("vocab-cards/<card_id>", CardViewSet.as_view({"patch": "update_vocab_card", "delete": "delete_vocab_card"})),
    path("vocab-cards/<card_id>/reviews", CardViewSet.as_view({"post": "review_vocab_card"})),
]

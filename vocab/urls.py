"""Routes of decks and cards."""

from django.urls import path

from vocab.views import CardViewSet, DeckViewSet

urlpatterns = [
    path("vocab-decks", DeckViewSet.as_view({"get": "list_vocab_decks", "post": "create_vocab_deck"})),
    path("vocab-decks/<deck_id>", DeckViewSet.as_view({"delete": "delete_vocab_deck"})),
    path("vocab-cards/<card_id>/reviews", CardViewSet.as_view({"post": "review_vocab_card"})),
]

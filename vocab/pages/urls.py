"""URLs of the pages about flashcards."""

from django.urls import path

from vocab.pages.cards import card_page, change_cards
from vocab.pages.deck_import import import_decks
from vocab.pages.decks import change_deck, deck_list, deck_page, delete_deck, export_deck, new_deck
from vocab.pages.study import study, undo_answer

urlpatterns = [
    path("study", study, name="study"),
    path("study/undo", undo_answer, name="undo-answer"),
    path("decks", deck_list, name="decks"),
    path("decks/import", import_decks, name="import-decks"),
    path("decks/new", new_deck, name="new-deck"),
    path("decks/<uuid:deck_id>", deck_page, name="deck"),
    path("decks/<uuid:deck_id>/change", change_deck, name="change-deck"),
    path("decks/<uuid:deck_id>/delete", delete_deck, name="delete-deck"),
    path("decks/<uuid:deck_id>/export", export_deck, name="export-deck"),
    path("decks/<uuid:deck_id>/cards", change_cards, name="change-cards"),
    path("decks/<uuid:deck_id>/cards/<uuid:card_id>", card_page, name="card"),
    path("decks/<uuid:deck_id>/study", study, name="study-deck"),
    path("decks/<uuid:deck_id>/study/undo", undo_answer, name="undo-answer-deck"),
    path("items/<uuid:item_id>/study", study, name="study-item"),
    path("items/<uuid:item_id>/study/undo", undo_answer, name="undo-answer-item"),
]

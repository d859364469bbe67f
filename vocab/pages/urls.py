"""Addresses of the pages about flashcards."""

from django.urls import path

from vocab.pages.deck_import import import_decks

urlpatterns = [path("decks/import", import_decks, name="import-decks")]

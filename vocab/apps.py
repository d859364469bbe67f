"""The vocab app."""

from django.apps import AppConfig


class VocabConfig(AppConfig):
    """Flashcard decks and spaced repetition."""

    name = "vocab"
    verbose_name = "Vocabulary"

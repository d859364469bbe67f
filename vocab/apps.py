"""The vocab app."""

from typing import ClassVar

from django.apps import AppConfig


class VocabConfig(AppConfig):
    """Flashcard decks and spaced repetition."""

    name = "vocab"
    verbose_name = "Vocabulary"
    headings: ClassVar[dict[str, str]] = {"Vocabulary": "Flashcard decks studied with spaced repetition."}

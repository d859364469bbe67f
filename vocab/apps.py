"""The vocab app."""

from typing import ClassVar

from django.apps import AppConfig


class VocabConfig(AppConfig):
    """Flashcard decks and spaced repetition."""

    name = "vocab"
    verbose_name = "Vocabulary"
    headings: ClassVar[dict[str, str]] = {"Vocabulary": "Flashcard decks studied with spaced repetition."}

    def ready(self) -> None:
        """Register the hooks of lower apps."""
        from accounts.undo.log import SOURCES
        from accounts.undo.undo import LOGS
        from vocab.changes import logged_review, review_changes

        SOURCES.register(review_changes)
        LOGS.register(logged_review)

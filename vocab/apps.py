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
        from studyservice.undo.log import REVIEW_LOG, ReviewLog
        from vocab.changes import logged_review, review_changes

        REVIEW_LOG.register(ReviewLog(review_changes, logged_review))

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
        from courses.readiness import READINESS
        from courses.studied import COMING, STUDIED
        from courses.study_plans import STUDY_PLANS
        from vocab.changes import logged_review, review_changes
        from vocab.plans import plan_for
        from vocab.readiness import CardReadiness
        from vocab.studied import studied
        from vocab.studying import coming

        READINESS.register(CardReadiness())
        STUDIED.register(studied)
        COMING.register(coming)
        STUDY_PLANS.register(plan_for)
        SOURCES.register(review_changes)
        LOGS.register(logged_review)

"""The practice app."""

from typing import ClassVar

from django.apps import AppConfig


class PracticeConfig(AppConfig):
    """Attempts, streaks and weak topics."""

    name = "practice"
    headings: ClassVar[dict[str, str]] = {"Practice": "Accuracy, streaks and weak topics."}

    def ready(self) -> None:
        """Register the hooks of lower apps."""
        from accounts.api.views import PRACTICE_STREAK
        from practice.stats import current_streak

        PRACTICE_STREAK.register(current_streak)

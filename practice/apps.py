"""The practice app."""

from typing import ClassVar

from django.apps import AppConfig


class PracticeConfig(AppConfig):
    """Attempts, streaks and weak topics."""

    name = "practice"
    headings: ClassVar[dict[str, str]] = {"Practice": "Accuracy, streaks and weak topics."}

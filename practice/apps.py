"""The practice app."""

from django.apps import AppConfig


class PracticeConfig(AppConfig):
    """Attempts, streaks and weak topics."""

    name = "practice"

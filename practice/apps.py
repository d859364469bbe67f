"""The practice app."""

from django.apps import AppConfig


class PracticeConfig(AppConfig):
    """Attempts, streaks and weak topics."""

    name = "practice"

    def ready(self) -> None:
        """Give the member's profile its streak."""
        from accounts.profile import count_streak_with  # noqa: PLC0415  # models load before apps are ready
        from practice.streaks import current_streak  # noqa: PLC0415  # as above

        count_streak_with(current_streak)

"""The accounts app."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Members, membership and credentials."""

    name = "accounts"
    verbose_name = "Members and credentials"

    def ready(self) -> None:
        """Load the checks."""
        from accounts import checks  # noqa: F401, PLC0415  # registers itself

"""The accounts app."""

from typing import ClassVar

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Members, membership and credentials."""

    name = "accounts"
    verbose_name = "Members and credentials"
    headings: ClassVar[dict[str, str]] = {
        "Member": "Who the credential belongs to.",
        "Changes": "Who changed what.",
    }

    def ready(self) -> None:
        from accounts.operators import checks  # noqa: F401, PLC0415  # registers itself

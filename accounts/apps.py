"""The accounts app."""

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Members, membership and credentials."""

    name = "accounts"
    verbose_name = "Members and credentials"

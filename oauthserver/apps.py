"""The authorization server app."""

from django.apps import AppConfig


class OAuthServerConfig(AppConfig):
    """OAuth 2.1: apps that members connect, on django-oauth-toolkit."""

    name = "oauthserver"
    verbose_name = "Connected apps"

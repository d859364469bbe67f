"""The authorization server app."""

from django.apps import AppConfig


class OAuthServerConfig(AppConfig):
    """OAuth 2.1: apps that members connect, on django-oauth-toolkit."""

    name = "oauthserver"
    verbose_name = "Connected apps"

    def ready(self) -> None:
        """Take the places that `accounts` keeps for what stands above it."""
        from accounts import connections  # noqa: PLC0415  # models are loaded only now
        from accounts.credentials import register_resolver  # noqa: PLC0415
        from oauthserver.access_tokens import resolve_access_token  # noqa: PLC0415
        from oauthserver.connections import OAuthConnections  # noqa: PLC0415
        from oauthserver.purging import register_purges  # noqa: PLC0415

        connections.register(OAuthConnections())
        register_resolver("at", resolve_access_token)
        register_purges()

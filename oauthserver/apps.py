"""The authorization server app."""

from django.apps import AppConfig
from django.db.models.signals import post_delete, post_save


class OAuthServerConfig(AppConfig):
    """OAuth 2.1: apps that members connect, on django-oauth-toolkit."""

    name = "oauthserver"
    verbose_name = "Connected apps"

    def ready(self) -> None:
        """Register the hooks that lower apps call."""
        from accounts.credentials.connections import CONNECTED_APPS
        from accounts.credentials.limiting import LIMITS_STORES
        from accounts.credentials.resolving import RESOLVERS
        from accounts.erasure.purging import EXPIRED_DATA
        from accounts.operators.credentials_admin import FINDERS
        from accounts.operators.site import REFUSED_CALLS
        from oauthserver import endings, finding, purging
        from oauthserver.access_tokens import resolve_access_token
        from oauthserver.connections import OAuthConnections
        from oauthserver.consent_limits import ConsentLimits
        from oauthserver.front_page import REFUSED
        from oauthserver.models import BlockedApp
        from studyservice.gone import ENDINGS

        REFUSED_CALLS.register(REFUSED)
        LIMITS_STORES.register("access_token", ConsentLimits())
        CONNECTED_APPS.register(OAuthConnections())
        RESOLVERS.register("at", resolve_access_token)
        for what, ending in endings.OF_APPS.items():
            ENDINGS.register(what, ending)
        post_save.connect(endings.note_block, sender=BlockedApp)
        post_delete.connect(endings.note_unblock, sender=BlockedApp)
        FINDERS.register("at", finding.find_access_token)
        FINDERS.register("rt", finding.find_refresh_token)
        FINDERS.register("cs", finding.find_client_secret)
        # A refresh token must be removed before the access token that it refers to.
        EXPIRED_DATA.register("refresh_tokens", purging.purge_refresh_tokens)
        EXPIRED_DATA.register("access_tokens", purging.purge_access_tokens)
        EXPIRED_DATA.register("authorization_codes", purging.purge_authorization_codes)
        EXPIRED_DATA.register("unused_registrations", purging.purge_unused_registrations)

"""The authorization server app."""

from functools import partial

from django.apps import AppConfig
from django.db.models.signals import post_delete, post_save


class OAuthServerConfig(AppConfig):
    """OAuth 2.1: apps that members connect, on django-oauth-toolkit."""

    name = "oauthserver"
    verbose_name = "Connected apps"

    def ready(self) -> None:
        """Register the hooks that lower apps call."""
        from accounts.credentials.connections import CONNECTED_APPS
        from accounts.credentials.limiting import LIMITED_ROWS
        from accounts.credentials.resolving import RESOLVERS
        from accounts.erasure.purging import EXPIRED_DATA
        from accounts.operators.credentials_admin import FINDERS
        from accounts.operators.site import REFUSED_CALLS
        from oauthserver import access_tokens, endings
        from oauthserver.admin_lists import REFUSED
        from oauthserver.connections import OAuthConnections
        from oauthserver.consents import rows_of_consent
        from oauthserver.models import AccessToken, BlockedApp, RefreshToken
        from studyservice.gone import ENDINGS

        REFUSED_CALLS.register(REFUSED)
        LIMITED_ROWS.register("access_token", rows_of_consent)
        CONNECTED_APPS.register(OAuthConnections())
        RESOLVERS.register("at", access_tokens.resolve_access_token)
        for what, ending in endings.OF_APPS.items():
            ENDINGS.register(what, ending)
        post_save.connect(endings.note_block, sender=BlockedApp)
        post_delete.connect(endings.note_unblock, sender=BlockedApp)
        FINDERS.register("at", partial(access_tokens.find_token, AccessToken))
        FINDERS.register("rt", partial(access_tokens.find_token, RefreshToken))
        FINDERS.register("cs", access_tokens.find_client_secret)
        # A refresh token must be removed before the access token that it refers to.
        EXPIRED_DATA.register("refresh_tokens", endings.purge_refresh_tokens)
        EXPIRED_DATA.register("access_tokens", endings.purge_access_tokens)
        EXPIRED_DATA.register("authorization_codes", endings.purge_authorization_codes)
        EXPIRED_DATA.register("unused_registrations", endings.purge_unused_registrations)

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
        from accounts.erasure.erasing import EXPIRED_DATA
        from accounts.operators.credentials_admin import FINDERS
        from accounts.operators.site import REFUSED_CALLS
        from oauthserver import connections, consents
        from oauthserver.admin_lists import REFUSED
        from oauthserver.models import AccessToken, BlockedApp, RefreshToken
        from studyservice.gone import ENDINGS

        REFUSED_CALLS.register(REFUSED)
        LIMITED_ROWS.register("access_token", consents.rows_of_consent)
        CONNECTED_APPS.register(connections)
        RESOLVERS.register("at", consents.resolve_access_token)
        for what, ending in connections.ENDINGS_OF_APPS.items():
            ENDINGS.register(what, ending)
        post_save.connect(connections.note_block, sender=BlockedApp)
        post_delete.connect(connections.note_unblock, sender=BlockedApp)
        FINDERS.register("at", partial(consents.find_token, AccessToken))
        FINDERS.register("rt", partial(consents.find_token, RefreshToken))
        FINDERS.register("cs", consents.find_client_secret)
        for name, purge in connections.EXPIRED_OF_APPS.items():
            EXPIRED_DATA.register(name, purge)

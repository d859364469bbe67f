"""Record that a refresh token was used a second time soon after the first: a careless client, or a quick thief."""

import logging

from django.utils import timezone

from oauthserver.models import Application, Grant

logger = logging.getLogger(__name__)


def note_reuse(consent: Grant, app: Application) -> None:
    """Log the reuse, and record it for the key page.

    Further action is up to `oauthserver.token_validator`, which tolerates it for a short time.
    """
    Grant.objects.filter(user_id=consent.user_id, pk=consent.pk).update(reused_at=timezone.now())
    logger.warning(
        "A refresh token of app %s was used twice (member %s, connection %s)",
        app.client_id,
        consent.user_id,
        consent.token_family,
    )

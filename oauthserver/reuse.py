"""Detect a refresh token that is used a second time soon after the first: a careless client, or a quick thief."""

import logging

from django.db.models import Exists
from django.utils import timezone

from oauthserver.models import Grant, RefreshToken
from oauthserver.presented_grant import PresentedGrant

logger = logging.getLogger(__name__)


def note_reuse(presented_grant: PresentedGrant) -> None:
    """Log the reuse and record it for the key page, if the grant is a rotated token whose family is live.

    Further action is up to `oauthserver.token_validator`, which tolerates it for a short time.
    """
    rotated = RefreshToken.objects.filter(
        user_id=presented_grant.member.id, id=presented_grant.id, revoked__isnull=False
    )
    grants = Grant.objects.filter(
        Exists(rotated), user_id=presented_grant.member.id, token_family=presented_grant.family
    )
    if grants.update(reused_at=timezone.now()):
        logger.warning(
            "A refresh token of app %s was used twice (member %s, connection %s)",
            presented_grant.client.client_id,
            presented_grant.member.id,
            presented_grant.family,
        )

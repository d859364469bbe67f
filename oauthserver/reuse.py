"""A refresh token that is used a second time, soon after the first: a careless client, or a thief who was quick."""

import logging

from django.db.models import Exists
from django.utils import timezone

from oauthserver.models import Grant, RefreshToken
from oauthserver.presented import Presented

logger = logging.getLogger(__name__)


def note_reuse(presented: Presented) -> None:
    """Log it and keep it for the key page; nothing happens if what was presented is no rotated token, or is ended.

    What is done about it is for `oauthserver.token_validator`: within its tolerance no more than this.
    """
    rotated = RefreshToken.objects.filter(user_id=presented.member.id, id=presented.id, revoked__isnull=False)
    grants = Grant.objects.filter(Exists(rotated), user_id=presented.member.id, token_family=presented.family)
    if grants.update(reused_at=timezone.now()):
        logger.warning(
            "A refresh token of app %s was used twice (member %s, connection %s)",
            presented.client.client_id,
            presented.member.id,
            presented.family,
        )

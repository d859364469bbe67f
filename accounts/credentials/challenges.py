"""Why a credential was refused (RFC 6750 section 3).

The message names the cause where that tells the caller nothing new. The form of a credential is known to its sender.
Only the holder of a whole secret learns that it has expired or was revoked. A secret that never existed, a deactivated
member, a blocked app and a deleted row all get `GENERIC`.
"""

from django.conf import settings
from django.http import HttpRequest

from accounts.credentials.connections import Refusal
from accounts.credentials.models import KeyEnd
from accounts.credentials.resolving import DEAD_CREDENTIAL, RESOLVERS, presented_secret
from studyservice.operations.errors import Unauthorized
from studyservice.secrets.generated import is_well_formed, kind_of

GENERIC = Unauthorized.default_message

_MISSING = "Send a credential: Authorization: Bearer <API key or access token>, or X-API-Key: <API key>."
_NOT_OURS = "This is not an API key or an access token of this service. They begin with {0}_sk_ and {0}_at_."
_KEYS_ONLY = "X-API-Key accepts API keys only. Send an access token as Authorization: Bearer <access token>."
_MALFORMED = "This {} is malformed: after {}_{}_ it has exactly 43 letters, digits, hyphens and underscores."
_NAMES = {"sk": "API key", "at": "access token"}

_ENDED: dict[KeyEnd | Refusal, str] = {
    KeyEnd.REVOKED: "This API key was revoked. Create another one at {base}/keys.",
    KeyEnd.EXPIRED: "This API key has expired. Create another one at {base}/keys.",
    Refusal.EXPIRED: "This access token has expired. Get a new one with the refresh token at {base}/oauth/token.",
    Refusal.ELSEWHERE: "This access token works only at {base}/mcp.",
}


def cause_of(request: HttpRequest) -> str:
    """Return the message for a request without a live credential. It costs no query.

    The text fits into a challenge: it has no quotation mark and no backslash (RFC 6750 section 3).
    """
    secret, dead = presented_secret(request), DEAD_CREDENTIAL.get(request)
    if secret is None:
        return _MISSING
    if dead is not None:
        return _ENDED.get(dead.reason, GENERIC).format(base=settings.BASE_URL)
    kind = kind_of(secret)
    if RESOLVERS.get(kind) is None:
        return _NOT_OURS.format(settings.CREDENTIAL_PREFIX)
    if kind != "sk" and "HTTP_AUTHORIZATION" not in request.META:
        return _KEYS_ONLY
    if not is_well_formed(secret):
        return _MALFORMED.format(_NAMES[kind], settings.CREDENTIAL_PREFIX, kind)
    return GENERIC

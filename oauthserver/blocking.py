"""Apps blocked by operators: no consent, token or call until they are unblocked.

A block is stored separately from the app, by client id. So it survives the app's deletion, works before an app's
metadata document was ever read, and is not lifted by reading the document again.
"""

from django.db.models import Exists, OuterRef

from oauthserver.models import BlockedApp


def blocked_by(path: str) -> Exists:
    """Return a query condition: the app whose client id is at `path` is blocked."""
    return Exists(BlockedApp.objects.filter(client_id=OuterRef(path)))


def is_blocked(client_id: str | None) -> bool:
    """Return whether the app is blocked. Costs a query."""
    return BlockedApp.objects.filter(client_id=client_id).exists()


def block(client_id: str) -> bool:
    """Block the app at once. Its consents are kept for an unblock. False if it was already blocked."""
    return BlockedApp.objects.get_or_create(client_id=client_id)[1]


def unblock(client_id: str) -> bool:
    """Unblock the app. Its consents work again. False if it was not blocked."""
    return BlockedApp.objects.filter(client_id=client_id).delete()[0] > 0

"""Apps that operators have blocked: no consent, no token, no call, until they are unblocked.

A block is kept apart from the app and goes by its client id. So it outlives the app's deletion, stands for one that is
known by its metadata document alone before that was ever read, and reading the document again does not lift it.
"""

from django.db.models import Exists, OuterRef

from oauthserver.models import BlockedApp


def blocked_by(path: str) -> Exists:
    """A condition for queries: the app whose client id is at `path` is blocked."""
    return Exists(BlockedApp.objects.filter(client_id=OuterRef(path)))


def is_blocked(client_id: str | None) -> bool:
    """Return whether the app is blocked; costs a query."""
    return BlockedApp.objects.filter(client_id=client_id).exists()


def block(client_id: str) -> bool:
    """Block the app, at once; what its members allowed stays, for when it is unblocked. False if it was blocked."""
    return BlockedApp.objects.get_or_create(client_id=client_id)[1]


def unblock(client_id: str) -> bool:
    """Let the app go on where it was; False if it was not blocked."""
    return BlockedApp.objects.filter(client_id=client_id).delete()[0] > 0

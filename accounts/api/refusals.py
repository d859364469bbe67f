"""Refuse operations and fields that a limited credential must not use. Checked with the scopes, before ids."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from accounts.credentials.limiting import KEPT_BACK, SEES_A_PART
from accounts.credentials.limits import Limits
from studyservice.database.limiting import NotLimitedError
from studyservice.operations.declaration import Operation
from studyservice.operations.errors import InsufficientScope

logger = logging.getLogger(__name__)


def require_within(operation: Operation, limits: Limits) -> None:
    """Refuse operations on the whole account, and on grades if the credential hides them.

    Raises:
        InsufficientScope: the operation is refused.
    """
    if operation.whole_account and limits.keep_back:
        raise InsufficientScope(SEES_A_PART)
    if operation.grades and not limits.grades:
        raise InsufficientScope(KEPT_BACK)


@contextmanager
def refused_past_limits() -> Iterator[None]:
    """Refuse a call whose statement cannot be limited. Logged as an error, because it is a bug in the service.

    Raises:
        InsufficientScope: there was such a statement. It was not sent.
    """
    try:
        yield
    except NotLimitedError as error:
        logger.exception("A statement could not be limited")
        raise InsufficientScope(SEES_A_PART) from error


def require_grades_left_out(operation: Operation, limits: Limits, sent: object) -> None:
    """Refuse a body with grade fields if the credential hides grades.

    Raises:
        InsufficientScope: the body has such a field.
    """
    if not limits.grades and any(_has(sent, field) for field in operation.grade_fields):
        raise InsufficientScope(KEPT_BACK)


def _has(sent: object, path: str) -> bool:
    """Return whether a body has a non-null value at the path, in any entry of a list."""
    name, _, rest = path.partition(".")
    if not isinstance(sent, Mapping) or sent.get(name) is None:
        return False
    value = sent[name]
    return any(_has(entry, rest) for entry in value) if rest and isinstance(value, list) else not rest

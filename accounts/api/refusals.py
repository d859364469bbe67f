"""What operations declare that a limited credential is refused, with the scopes and before ids."""

import logging
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from accounts.credentials.limiting import KEPT_BACK
from accounts.credentials.limits import Limits
from studyservice.database.limiting import NotLimitedError
from studyservice.operations.declaration import Operation
from studyservice.operations.errors import InsufficientScope

logger = logging.getLogger(__name__)

_PART = "This credential sees a part of the member's data, and this is about all of it."


def require_within(operation: Operation, limits: Limits) -> None:
    """Refuse what is about the whole account, or about grades that are kept back.

    Raises:
        InsufficientScope: the operation is.
    """
    if operation.whole_account and limits.keep_back:
        raise InsufficientScope(_PART)
    if operation.grades and not limits.grades:
        raise InsufficientScope(KEPT_BACK)


@contextmanager
def refused_past_limits() -> Iterator[None]:
    """Refuse a call whose statement cannot be limited; that is a fault of the service, and logged as one.

    Raises:
        InsufficientScope: there was one, and it was not sent.
    """
    try:
        yield
    except NotLimitedError as error:
        logger.exception("A statement could not be limited")
        raise InsufficientScope(_PART) from error


def require_grades_left_out(operation: Operation, limits: Limits, sent: object) -> None:
    """Refuse a body with fields that are about grades, if these are kept back.

    Raises:
        InsufficientScope: it has one.
    """
    if not limits.grades and any(_has(sent, field) for field in operation.grade_fields):
        raise InsufficientScope(KEPT_BACK)


def _has(sent: object, path: str) -> bool:
    """Whether a body has a value that is not null at the path, in any entry of a list."""
    name, _, rest = path.partition(".")
    if not isinstance(sent, Mapping) or sent.get(name) is None:
        return False
    value = sent[name]
    return any(_has(entry, rest) for entry in value) if rest and isinstance(value, list) else not rest

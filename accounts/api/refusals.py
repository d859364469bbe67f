"""Refuse operations and fields that a limited credential must not use. Checked with the scopes, before ids."""

from collections.abc import Mapping

from accounts.credentials.hidden import GradesHidden, PartHidden
from accounts.credentials.limits import Limits
from studyservice.operations.declaration import Operation


def require_within(operation: Operation, limits: Limits) -> None:
    """Refuse operations on the whole account, and on grades if the credential hides them.

    Raises:
        PartHidden: the operation is on the whole account.
        GradesHidden: the operation is on grades.
    """
    if operation.whole_account and limits.keep_back:
        raise PartHidden
    if operation.grades and not limits.grades:
        raise GradesHidden


def require_grades_left_out(operation: Operation, limits: Limits, sent: object) -> None:
    """Refuse a body with grade fields if the credential hides grades.

    Raises:
        GradesHidden: the body has such a field.
    """
    if not limits.grades and any(_has(sent, field) for field in operation.grade_fields):
        raise GradesHidden


def _has(sent: object, path: str) -> bool:
    """Return whether a body has a non-null value at the path, in any entry of a list."""
    name, _, rest = path.partition(".")
    if not isinstance(sent, Mapping) or sent.get(name) is None:
        return False
    value = sent[name]
    return any(_has(entry, rest) for entry in value) if rest and isinstance(value, list) else not rest

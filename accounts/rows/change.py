"""`with change(access, "create_item"):` opens a transaction under the member's lock that writes its row of the log."""

from collections.abc import Iterator
from contextlib import contextmanager

from accounts.changes.recording import Write
from accounts.changes.writing import writing
from accounts.rows.access import Access


@contextmanager
def change(access: Access, operation: str) -> Iterator[Write]:
    """Log what the verbs of `rows` do in the block as one change (`accounts.changes.writing`).

    Inside another change of the same access it is a part of that one.

    Args:
        operation: the name of the change.

    Raises:
        NotFound: the member is gone, or is being deleted.
        NoActor: study data was changed outside a call, or by a read-only operation.
    """
    if access.write is not None:
        yield access.write
        return
    with writing(access.member.id, operation) as write:
        access.write = write
        try:
            yield write
        finally:
            access.write = None

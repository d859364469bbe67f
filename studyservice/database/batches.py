"""Batches of ids for one statement."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

_T = TypeVar("_T")

BATCH = 1000
"""Number of ids per statement. PostgreSQL accepts 65,535 values, SQLite 32,766."""


def batches(values: Iterable[_T]) -> Iterator[list[_T]]:
    """Yield `values` in lists of at most `BATCH`."""
    left = iter(values)
    while batch := list(islice(left, BATCH)):
        yield batch

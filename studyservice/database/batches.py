"""Rows that one statement names by their ids."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

_T = TypeVar("_T")

BATCH = 1000
"""Ids that one statement names: PostgreSQL takes 65,535 values, SQLite 32,766."""


def batches(values: Iterable[_T]) -> Iterator[list[_T]]:
    """`values` in lists of `BATCH` at most."""
    left = iter(values)
    while batch := list(islice(left, BATCH)):
        yield batch

"""Changes model declarations for a test, in the object that every entry point uses."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def declared(declaration: Any, **values: Any) -> Iterator[None]:
    """Give a frozen declaration other values inside the block."""
    before = {name: getattr(declaration, name) for name in values}
    try:
        for name, value in values.items():
            object.__setattr__(declaration, name, value)
        yield
    finally:
        for name, value in before.items():
            object.__setattr__(declaration, name, value)

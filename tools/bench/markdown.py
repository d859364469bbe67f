"""Markdown tables, and a description of the machine."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from tools.bench import machine


def table(head: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    """Return a table."""
    first, *lines = (f"| {' | '.join(map(str, cells))} |".replace("|  |", "| |") for cells in (head, *rows))
    return "\n".join([first, "|---" * len(head) + "|", *lines])


def machine_line() -> str:
    """Return the date and a description of the machine."""
    return f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC. {machine.describe()}."

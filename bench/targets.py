"""What rows must reach, and which are short of it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import median
from typing import NamedTuple

from bench.measure import Sample, Samples
from bench.rows import FLOOR, ROWS, SERVICE, WITH_REDIS

MOST_MEMORY = 120
"""MiB of a process after the run."""


class Target(NamedTuple):
    """What a row must reach.

    Attributes:
        least: CPU time of what it is compared with over its own; where `is_rate`, requests per second.
    """

    row: str
    least: float
    contestant: str = SERVICE
    is_rate: bool = False


class Verdict(NamedTuple):
    """A target and what was reached, as they are told."""

    name: str
    target: str
    reached: str
    is_short: bool


_READS = ("list_items", "get_agenda", "get_grades")
_WRITES = ("create_item", "review_vocab_card")
TARGETS = (
    *(Target(row, 0.55) for row in _READS),
    *(Target(row, 0.48, WITH_REDIS) for row in _READS),
    *(Target(row, 0.45) for row in _WRITES),
    Target("refresh", 0.22),
    *(Target(row.name, 0.75) for row in ROWS if row.against),
    # Twice and five times the rates of the first run with two million items.
    Target("mcp_tools_list", 2 * 611, is_rate=True),
    Target("list_vocab_decks", 2 * 156, is_rate=True),
    Target("get_practice_stats", 5 * 55, is_rate=True),
)


def verdicts(samples: Samples, memory: Mapping[str, tuple[float, float]]) -> Iterator[Verdict]:
    """Each target whose row was measured; `memory` is MiB of each contestant before and after the run."""
    for target in TARGETS:
        found = samples.get((target.row, target.contestant))
        least = None if target.is_rate else samples.get(_beside(target.row))
        if found is None or (least is None and not target.is_rate):
            continue
        reached = _median(found, lambda one: one.rate)
        form = "{:.0f} / s"
        if least is not None:
            reached = _median(least, lambda one: one.server_us) / _median(found, lambda one: one.server_us)
            form = "{:.2f}"
        name = f"{target.row}, {target.contestant}"
        yield Verdict(name, form.format(target.least), form.format(reached), reached < target.least)
    for contestant in (SERVICE, WITH_REDIS):
        if contestant in memory:
            after = memory[contestant][1]
            yield Verdict(f"memory, {contestant}", f"{MOST_MEMORY} MiB", f"{after:.0f} MiB", after > MOST_MEMORY)


def _beside(row: str) -> tuple[str, str]:
    """Whose CPU time that of `row` is compared with."""
    against = next(one.against for one in ROWS if one.name == row)
    return (against, SERVICE) if against else (row, FLOOR)


def _median(samples: Sequence[Sample], figure: Callable[[Sample], float]) -> float:
    return median(map(figure, samples))

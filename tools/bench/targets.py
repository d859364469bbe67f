"""The targets of rows, and the rows that miss them."""

from collections.abc import Iterator, Mapping
from statistics import median
from typing import NamedTuple

from tools.bench.measure import Samples, ratio
from tools.bench.rows import FASTAPI, FLOOR, ROWS, SERVICE, WITH_REDIS

MOST_MEMORY = 110
"""MiB of a process after the run."""


class Target(NamedTuple):
    """A row and its minimum: a ratio of CPU times or, if `is_rate`, requests per second."""

    row: str
    least: float
    contestant: str = SERVICE
    is_rate: bool = False


class Verdict(NamedTuple):
    """A target and the measured figure, in words."""

    name: str
    target: str
    reached: str
    is_short: bool


_READS = ("list_items", "get_agenda", "get_grades")
TARGETS = (
    *(Target(row, 0.55) for row in _READS),
    *(Target(row, 0.48, WITH_REDIS) for row in _READS),
    Target("create_item", 0.40),
    Target("create_item", 0.36, WITH_REDIS),
    Target("review_vocab_card", 0.42),
    Target("refresh", 0.22),
    *(Target(row.name, 0.75) for row in ROWS if row.against),
    # Two and five times the rates of the first run with two million items.
    Target("mcp_tools_list", 2 * 611, is_rate=True),
    Target("list_vocab_decks", 2 * 156, is_rate=True),
    Target("get_practice_stats", 5 * 55, is_rate=True),
)

_BESIDE_FASTAPI = {"list_items": (2.7, 2.5), "create_item": (2.0, 1.8)}
"""Row to the least ratio of requests per second: with a local PostgreSQL, and with a distant one."""


def verdicts(
    samples: Samples, memory: Mapping[str, tuple[float, float]], distances: Mapping[int, Samples]
) -> Iterator[Verdict]:
    """Yield each target whose row was measured, with the figure.

    Args:
        memory: MiB of each contestant before and after the run.
        distances: samples by the milliseconds of a round trip to PostgreSQL.
    """
    yield from _against_floor(samples)
    for row, (here, there) in _BESIDE_FASTAPI.items():
        yield from _beside_fastapi(row, samples, here, "")
        for distance, far in distances.items():
            if distance:
                yield from _beside_fastapi(row, far, there, f" at {distance} ms")
    for contestant in (SERVICE, WITH_REDIS):
        if contestant in memory:
            after = memory[contestant][1]
            yield Verdict(f"memory, {contestant}", f"{MOST_MEMORY} MiB", f"{after:.0f} MiB", after > MOST_MEMORY)


def _beside_fastapi(row: str, samples: Samples, least: float, where: str) -> Iterator[Verdict]:
    ours, theirs = samples.get((row, SERVICE)), samples.get((row, FASTAPI))
    if ours and theirs:
        reached = ratio(ours, theirs).median
        yield Verdict(f"{row}, against {FASTAPI}{where}", f"{least} times", f"{reached:.2f} times", reached < least)


def _against_floor(samples: Samples) -> Iterator[Verdict]:
    for target in TARGETS:
        found = samples.get((target.row, target.contestant), [])
        beside = samples.get(_beside(target.row), [])
        if not found or not (beside or target.is_rate):
            continue
        if target.is_rate:
            reached, form = median(one.rate for one in found), "{:.0f} / s"
        else:
            reached = median(one.server_us for one in beside) / median(one.server_us for one in found)
            form = "{:.2f}"
        name = f"{target.row}, {target.contestant}"
        yield Verdict(name, form.format(target.least), form.format(reached), reached < target.least)


def _beside(row: str) -> tuple[str, str]:
    """Return the row and contestant that `row` is compared with."""
    against = next(one.against for one in ROWS if one.name == row)
    return (against, SERVICE) if against else (row, FLOOR)

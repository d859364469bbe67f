"""The targets of rows, and the rows that miss them."""

from collections.abc import Iterator, Mapping
from statistics import median
from typing import NamedTuple

from tools.bench.measure import Sample, Samples, ratio
from tools.bench.rows import FASTAPI, FLOOR, ROWS, SERVICE, WITH_REDIS

MOST_MEMORY = 150
"""MiB of a process after the run."""

LEAST_GROWN = 0.95
"""Rate of list_items with ten times the data, against the rate before."""


class Target(NamedTuple):
    """A row and its minimum ratio of CPU times."""

    row: str
    least: float
    contestant: str = SERVICE


class Verdict(NamedTuple):
    """A target and the measured figure, in words."""

    name: str
    target: str
    reached: str
    is_short: bool


_READS = ("list_items", "get_agenda", "get_grades")
TARGETS = (
    *(Target(row, 0.50) for row in _READS),
    *(Target(row, 0.44, WITH_REDIS) for row in _READS),
    Target("create_item", 0.30),
    Target("review_vocab_card", 0.30),
    *(Target(row.name, 0.70) for row in ROWS if row.against),
)

_BESIDE_FASTAPI = {"list_items": (2.3, 2.2), "create_item": (1.6, 1.4)}
"""Row to the least ratio of requests per second: with a local PostgreSQL, and with a distant one."""


def verdicts(
    samples: Samples,
    memory: Mapping[str, tuple[float, float]],
    distances: Mapping[int, Samples],
    scale: Mapping[str, list[Sample]],
) -> Iterator[Verdict]:
    """Yield each target whose row was measured, with the figure.

    Args:
        memory: MiB of each contestant before and after the run.
        distances: samples by the milliseconds of a round trip to PostgreSQL.
        scale: samples of list_items by the size of the data set, small one first; empty if not measured.
    """
    yield from _against_floor(samples)
    for row, (here, there) in _BESIDE_FASTAPI.items():
        yield from _beside_fastapi(row, samples, here, "")
        for distance, far in distances.items():
            if distance:
                yield from _beside_fastapi(row, far, there, f" at {distance} ms")
    if scale:
        few, many = scale.values()
        grown = ratio(many, few).median
        yield Verdict("list_items, ten times the data", f"{LEAST_GROWN}", f"{grown:.2f}", grown < LEAST_GROWN)
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
        found, beside = samples.get((target.row, target.contestant)), samples.get(_beside(target.row))
        if found and beside:
            reached = median(one.server_us for one in beside) / median(one.server_us for one in found)
            name = f"{target.row}, {target.contestant}"
            yield Verdict(name, f"{target.least:.2f}", f"{reached:.2f}", reached < target.least)


def _beside(row: str) -> tuple[str, str]:
    """Return the row and contestant that `row` is compared with."""
    against = next(one.against for one in ROWS if one.name == row)
    return (against, SERVICE) if against else (row, FLOOR)

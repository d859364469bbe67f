"""The outcome of each step of a check."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


class Outcome(StrEnum):
    """The outcome of a step."""

    PASSED = "ok"
    SKIPPED = "not checked"
    FAILED = "FAILED"


class Failed(Exception):
    """A step failed.

    Args:
        found: the problem, a sentence.
        remedy: how to fix it, a sentence or more.
        stops: whether the next steps of a chain need this one.
    """

    def __init__(self, found: str, remedy: str, *, stops: bool = True) -> None:
        super().__init__(found)
        self.found = found
        self.remedy = remedy
        self.stops = stops


class Skipped(Exception):
    """A step does not apply here. The argument says why."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A line of the report. `remedy` is empty unless the step failed; `stops` as in `Failed`."""

    step: str
    outcome: Outcome
    found: str
    remedy: str = ""
    stops: bool = False

    def __str__(self) -> str:
        return f"{self.outcome:<11}  {self.step}: {self.found} {self.remedy}".rstrip()

    def as_json(self) -> dict[str, Any]:
        """Return the finding for a program."""
        return {name: value for name, value in asdict(self).items() if name != "stops"}


Step = tuple[str, Callable[[], str]]
"""The name of a step, and its function, which returns a description or raises `Failed` or `Skipped`."""


def finding_of(step: Step) -> Finding:
    """Run `step`."""
    name, attempt = step
    try:
        return Finding(name, Outcome.PASSED, attempt())
    except Skipped as skipped:
        return Finding(name, Outcome.SKIPPED, str(skipped))
    except Failed as failed:
        return Finding(name, Outcome.FAILED, failed.found, failed.remedy, failed.stops)


def findings_of_chain(steps: Iterable[Step]) -> Iterator[Finding]:
    """Run `steps`, each of which needs the one before. After a failure the rest is skipped."""
    failed = False
    for step in steps:
        finding = Finding(step[0], Outcome.SKIPPED, "not reached.") if failed else finding_of(step)
        failed = failed or finding.stops
        yield finding

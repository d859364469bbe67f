"""The result of a drill: one row of the table, and the named checks below it."""

from collections import Counter
from dataclasses import dataclass, field
from math import inf

COLUMNS = (
    "drill", "acknowledged", "stored", "lost", "duplicated", "half-written", "errors", "improper", "recovered, s", "",
)  # fmt: skip


@dataclass(slots=True)
class Report:
    """One row.

    Attributes:
        acknowledged: writes answered with 201.
        stored: writes in the database, of those acknowledged or unanswered.
        lost: acknowledged but not stored.
        duplicated: extra rows of a write, or rows of refused writes.
        half_written: writes that are stored in part.
        errors: errors that clients saw, by kind.
        improper: answers that are neither a success, nor an error in the service's format, nor a closed connection.
        recovered: seconds from the repair (or the fault, if there was no repair) to the end of the failures.
        not_run: why the drill could not run; then it does not count as passed.
    """

    name: str
    acknowledged: int = 0
    stored: int = 0
    lost: int = 0
    duplicated: int = 0
    half_written: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    improper: list[str] = field(default_factory=list)
    recovered: float | None = None
    checks: list[tuple[str, bool]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    not_run: str = ""

    def check(self, what: str, right: object) -> None:
        """Record a check."""
        self.checks.append((what, bool(right)))

    @property
    def right(self) -> bool:
        """Whether it ran, and every check and count is right."""
        wrong = self.lost or self.duplicated or self.half_written or self.improper
        return not self.not_run and not wrong and self.recovered != inf and all(right for _, right in self.checks)

    def row(self) -> tuple[object, ...]:
        """Return the row of the table."""
        verdict = "not run" if self.not_run else "right" if self.right else "WRONG"
        recovered = "–" if self.recovered is None else f"{self.recovered:.1f}"
        counts = (self.acknowledged, self.stored, self.lost, self.duplicated, self.half_written)
        return (self.name, *counts, self.errors.total(), len(self.improper), recovered, verdict)

    def lines(self) -> list[str]:
        """Return the checks and notes."""
        kinds = ", ".join(f"{kind} ({count})" for kind, count in self.errors.most_common())
        found = [f"not run: {self.not_run}"] if self.not_run else []
        found += [f"errors: {kinds}"] if kinds else []
        found += [f"improper: {what}" for what in self.improper[:5]]
        found += [what if right else f"WRONG: {what}" for what, right in self.checks]
        return [f"{self.name}: {line}" for line in (*found, *self.notes)]

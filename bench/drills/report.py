"""What a drill found: one row of the table, and the named checks under it."""

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
        acknowledged: writes that a client was told of with 201.
        stored: of these, and of those whose answer never came, the ones that are in the database.
        lost: acknowledged and not stored.
        duplicated: rows beyond one for each write, or of writes that were refused.
        half_written: writes of which a part is stored.
        errors: what clients saw instead of success, by kind.
        improper: answers that are neither a success, nor an error in the service's shape, nor a closed connection.
        recovered: seconds from the repair (or the fault, if nobody repaired anything) to the end of the failures.
        checks: what else was looked at, and whether it is right.
        notes: what else is worth knowing.
        not_run: why the drill could not be run, or nothing if it was; then it is not right either.
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
        """Note whether something is right."""
        self.checks.append((what, bool(right)))

    @property
    def right(self) -> bool:
        """Whether it was run and nothing is wrong."""
        wrong = self.lost or self.duplicated or self.half_written or self.improper
        return not self.not_run and not wrong and self.recovered != inf and all(right for _, right in self.checks)

    def row(self) -> str:
        """The row of the table."""
        verdict = "not run" if self.not_run else "right" if self.right else "WRONG"
        recovered = "–" if self.recovered is None else f"{self.recovered:.1f}"
        cells = [
            self.name, self.acknowledged, self.stored, self.lost, self.duplicated, self.half_written,
            self.errors.total(), len(self.improper), recovered, verdict,
        ]  # fmt: skip
        return f"| {' | '.join(map(str, cells))} |"

    def lines(self) -> list[str]:
        """What stands under the table."""
        kinds = ", ".join(f"{kind} ({count})" for kind, count in self.errors.most_common())
        found = [f"not run: {self.not_run}"] if self.not_run else []
        found += [f"errors: {kinds}"] if kinds else []
        found += [f"improper: {what}" for what in self.improper[:5]]
        found += [what if right else f"WRONG: {what}" for what, right in self.checks]
        return [f"{self.name}: {line}" for line in (*found, *self.notes)]

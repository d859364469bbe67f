"""How long PostgreSQL may keep a process waiting, as PostgreSQL's own parameters."""

from collections.abc import Iterator
from dataclasses import dataclass

DEADLINE_MARGIN_SECONDS = 2
"""How much longer than a statement may run its connection waits for the answer."""


@dataclass(frozen=True, slots=True)
class Waits:
    """Whole seconds, each at least 1.

    Attributes:
        lock: for a lock that another transaction holds; then the statement fails.
        statement: for a statement, waiting for locks included; then it fails.
        idle: between two statements of a transaction; then PostgreSQL closes the connection.
    """

    lock: int
    statement: int
    idle: int

    @property
    def deadline(self) -> int:
        """Seconds after which a server that has not answered is given up.

        A server that works ends the statement itself before that. One that is frozen, or behind a broken network, does
        not, and its kernel may go on acknowledging what is sent.
        """
        return self.statement + DEADLINE_MARGIN_SECONDS

    def parameters(self) -> Iterator[tuple[str, str]]:
        """Name and value of each parameter (PostgreSQL documentation, Client Connection Defaults)."""
        yield "lock_timeout", f"{self.lock}s"
        yield "statement_timeout", f"{self.statement}s"
        yield "idle_in_transaction_session_timeout", f"{self.idle}s"

    def startup_options(self, more: str = "") -> str:
        """The start-up option of a connection that sets them, before what `more` sets."""
        ours = " ".join(f"-c {name}={value}" for name, value in self.parameters())
        return f"{ours} {more}".rstrip()

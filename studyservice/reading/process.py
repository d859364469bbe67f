"""Start the child process when its turn comes, one at a time in each process, and parse its output."""

import json
import logging
import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import IO, Any, ClassVar, cast

from studyservice.operations.errors import ApiError, InternalError, RateLimited
from studyservice.rates.limiter import Rate, hit
from studyservice.reading import child

logger = logging.getLogger(__name__)

WALL_SECONDS = 20.0
"""Time limit of a reading. The CPU limit comes first; this ends a reading that hardly gets any CPU time."""

MAX_SAID = 8 * 1024 * 1024
"""Limit of the child's output in bytes. It fits 500,000 characters with all other fields."""

_ROOT = Path(__file__).resolve().parent.parent.parent
_CHUNK = 65_536


WAIT_SECONDS = 2.0
"""How long the one in the queue waits. Also the `Retry-After` of the others."""

STARVED_SECONDS = 5
"""`Retry-After` if other processes need the CPU."""


class ReadLater(ApiError):
    """A file cannot be read now. The same upload may work a moment later.

    Attributes:
        reason: for forms.
    """

    reason: ClassVar[str]


class ReadingBusy(RateLimited, ReadLater):
    """Other files are being read."""

    reason = "Another file is being read at this moment."

    def __init__(self) -> None:
        super().__init__(round(WAIT_SECONDS))


class ReadingStarved(InternalError, ReadLater):
    """A reading got too little CPU time to finish."""

    reason = "This server is too busy to read the file at this moment."
    default_message = f"{reason} Try again after the seconds in Retry-After."

    def __init__(self) -> None:
        super().__init__(headers={"Retry-After": str(STARVED_SECONDS)})


class Gate:
    """Admits one at a time.

    Args:
        wait_seconds: how long one more may wait.
    """

    def __init__(self, wait_seconds: float = WAIT_SECONDS) -> None:
        self._wait_seconds = wait_seconds
        self._places = threading.BoundedSemaphore(2)
        self._turn = threading.Lock()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Hold the turn for the block.

        Raises:
            ReadingBusy: one is reading, and another waits or this one waited too long.
        """
        if not self._places.acquire(blocking=False):
            raise ReadingBusy
        try:
            if not self._turn.acquire(timeout=self._wait_seconds):
                raise ReadingBusy
            try:
                yield
            finally:
                self._turn.release()
        finally:
            self._places.release()


GATE = Gate()
"""The gate of this process."""


COST_OF_A_LIMIT = 10
"""Count of a reading that used up its limits."""


class Limit(StrEnum):
    """Limits that end a reading early, by their names in the log."""

    CPU = "CPU time"
    MEMORY = "memory"
    ANSWER = "length of the answer"
    CRASH = "crash"
    CLOCK = "clock"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a reading.

    Attributes:
        found: everything that the reader yielded; later values replace earlier ones.
        complete: whether the reader finished.
        limit: the limit that ended it early; `Limit.CLOCK` raises instead.
    """

    found: Mapping[str, Any]
    complete: bool
    limit: Limit | None

    @property
    def hit_limit(self) -> bool:
        """Return whether the file used up the limits or crashed the process."""
        return self.limit is not None


def read_in_child(
    reader: str, file: IO[bytes], options: Mapping[str, Any] | None = None, *, charged: tuple[Rate, str] | None = None
) -> Outcome:
    """Read an open file from its beginning in a child process.

    Must not be called inside a transaction, because it can take `WALL_SECONDS`.

    Args:
        reader: dotted name of a generator function (`studyservice.reading.child`).
        file: with a file descriptor; buffered data must have been written.
        options: JSON values for the reader.
        charged: the rate and the key under which the caller counted the reading. One that used up the limits counts
            `COST_OF_A_LIMIT` times.

    Raises:
        ReadingBusy: other files are being read.
        ReadingStarved: it did not end within `WALL_SECONDS`, though it had CPU time left.
    """
    with GATE.turn():
        file.seek(0)
        os.lseek(file.fileno(), 0, os.SEEK_SET)
        command = [sys.executable, "-I", "-B", child.__file__, str(_ROOT), reader, json.dumps(options or {})]
        with subprocess.Popen(  # noqa: S603  # our own program and arguments
            command, stdin=file, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={}
        ) as process:
            try:
                said, limit = _read_output(process, time.monotonic() + WALL_SECONDS)
            finally:
                process.kill()
    limit = limit or _limit_of(process.returncode)
    if limit is not None:
        logger.warning("A reading by %s ended: %s (status %d)", reader, limit, process.returncode)
    if limit is Limit.CLOCK:
        raise ReadingStarved
    if charged is not None and limit is not None:
        hit(*charged, COST_OF_A_LIMIT - 1)
    return Outcome(_parse_output(reader, said), complete=limit is None and process.returncode == 0, limit=limit)


def _limit_of(status: int) -> Limit | None:
    """Return the limit that ended a process, by its exit status. That of a signal is below 0."""
    if status == child.OUT_OF_MEMORY:
        return Limit.MEMORY
    if status == -signal.SIGXCPU:
        return Limit.CPU
    return Limit.CRASH if status < 0 else None


def _read_output(process: "subprocess.Popen[bytes]", deadline: float) -> tuple[bytes, Limit | None]:
    """Return its standard output, and the limit if the output is too long or the deadline passed."""
    said = bytearray()
    pipe = cast("IO[bytes]", process.stdout)
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while selector.select(max(0, deadline - time.monotonic())):
            chunk = os.read(pipe.fileno(), _CHUNK)
            if not chunk:
                break
            said += chunk
            if len(said) > MAX_SAID:
                return bytes(said[:MAX_SAID]), Limit.ANSWER
        else:
            return bytes(said), Limit.CLOCK
    try:
        process.wait(max(0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        return bytes(said), Limit.CLOCK
    return bytes(said), None


def _parse_output(reader: str, said: bytes) -> dict[str, Any]:
    """Merge the dictionaries of all lines."""
    found: dict[str, Any] = {}
    for line in said.splitlines():
        try:
            found |= json.loads(line)
        except (ValueError, TypeError):  # truncated when the process ended, or not a dictionary
            logger.warning("A reading by %s wrote something other than a JSON object", reader)
            break
    raised = found.pop("raised", None)
    if raised is not None:
        logger.warning("A reading by %s raised %s", reader, raised)
    return found

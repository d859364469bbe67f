"""Starting the child process, and what it said before it ended."""

import json
import logging
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

from studyservice.reading import child
from studyservice.reading.gate import GATE

logger = logging.getLogger(__name__)

WALL_SECONDS = 10.0
"""How long a reading may take in all."""

MAX_SAID = 8 * 1024 * 1024
"""How much the child may say, in bytes: 500,000 characters with everything beside them fit."""

_ROOT = Path(__file__).resolve().parent.parent.parent
_CHUNK = 65_536


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a reading gave.

    Attributes:
        found: everything that the reader yielded, the later over the earlier.
        complete: whether the reader came to its end.
        hit_limit: whether time, memory or the length of the answer ended it, or the process crashed.
    """

    found: Mapping[str, Any]
    complete: bool
    hit_limit: bool


def read_in_child(reader: str, file: IO[bytes], options: Mapping[str, Any] | None = None) -> Outcome:
    """Let a child process read an open file, from its beginning.

    Must not be called inside a transaction: it can take `WALL_SECONDS`.

    Args:
        reader: dotted name of a generator function (`studyservice.reading.child`).
        file: with a file descriptor; what is buffered in it must have been written.
        options: JSON values for the reader.

    Raises:
        ReadingBusy: others are reading.
    """
    with GATE.turn():
        file.seek(0)
        os.lseek(file.fileno(), 0, os.SEEK_SET)
        command = [sys.executable, "-I", "-B", child.__file__, str(_ROOT), reader, json.dumps(options or {})]
        with subprocess.Popen(  # noqa: S603  # our own program and arguments
            command, stdin=file, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={}
        ) as process:
            try:
                said, ended = _said(process, time.monotonic() + WALL_SECONDS)
            finally:
                process.kill()
    return _outcome(reader, said, process.returncode if ended else -signal.SIGKILL)


def _said(process: "subprocess.Popen[bytes]", deadline: float) -> tuple[bytes, bool]:
    """Its standard output, and whether it ended by itself; not if it says too much, or goes on beyond the deadline."""
    said = bytearray()
    pipe = cast("IO[bytes]", process.stdout)
    with selectors.DefaultSelector() as selector:
        selector.register(pipe, selectors.EVENT_READ)
        while len(said) <= MAX_SAID and selector.select(max(0, deadline - time.monotonic())):
            chunk = os.read(pipe.fileno(), _CHUNK)
            if not chunk:
                break
            said += chunk
        else:
            return bytes(said[:MAX_SAID]), False
    try:
        process.wait(max(0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        return bytes(said), False
    return bytes(said), True


def _outcome(reader: str, said: bytes, status: int) -> Outcome:
    found: dict[str, Any] = {}
    for line in said.splitlines():
        try:
            found |= json.loads(line)
        except (ValueError, TypeError):  # cut where the process ended, or no dictionary
            logger.warning("A reading by %s said what is no JSON object", reader)
            break
    raised = found.pop("raised", None)
    if raised is not None:
        logger.warning("A reading by %s raised %s", reader, raised)
    hit_limit = status == child.OUT_OF_MEMORY or status < 0
    if hit_limit:
        logger.warning("A reading by %s ended at a limit or crashed (status %d)", reader, status)
    return Outcome(found, complete=status == 0, hit_limit=hit_limit)

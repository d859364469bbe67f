"""`python studyservice/trial/alone.py LOCK COMMAND...`: run a command while no other process holds the lock file.

Simultaneous runs of `make run` in one checkout set up one after the other. It uses only the standard library, because
packages may not be installed yet.
"""

import fcntl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def alone(lock: Path) -> Iterator[None]:
    """Wait for the lock file and hold it. The system releases it however the process ends."""
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def main(lock: str, *command: str) -> int:
    """Run the command under the lock. Return its status."""
    with alone(Path(lock)):
        return subprocess.run(command, check=False).returncode  # noqa: S603  # the command line of our own Makefile


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

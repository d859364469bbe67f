"""`python trial/alone.py LOCK COMMAND...`: run a command while no other one with the same lock file runs.

Two `make run` in one checkout set up one after the other. Only the standard library: the packages may be missing yet.
"""

import fcntl
import subprocess
import sys
from pathlib import Path


def main(lock: str, *command: str) -> int:
    """Wait for the lock, which the system gives back however the process ends, and answer the command's status."""
    with Path(lock).open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        return subprocess.run(command, check=False).returncode  # noqa: S603  # the command line of our own Makefile


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

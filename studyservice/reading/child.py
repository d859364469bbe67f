"""The child process: `python -I -B child.py ROOT READER OPTIONS`, with the file as its standard input.

It limits its resources before it reads anything. Then it calls the reader, a generator given by its dotted path, with
the open file and the options. Each dictionary that the reader yields is written at once as a line of JSON, so that
earlier results survive if the process dies. Django is not imported.
"""

import ctypes
import importlib
import json
import os
import resource
import signal
import sys

MEMORY_BYTES = 512 * 1024 * 1024
CPU_SECONDS = 5
OPEN_FILES = 32
NICENESS = 10
"""Niceness of the child, so that serving requests has priority."""

OUT_OF_MEMORY = 3
"""Exit status: a limit was hit, as when a signal ends the process."""

FAILED = 4
"""Exit status: the reader raised, and the last line names the error."""

_PR_SET_PDEATHSIG = 1  # prctl(2)


def limit() -> None:
    """Limit memory, CPU time, open files and priority. Forbid writing files and core dumps. Die with the parent."""
    os.nice(NICENESS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN_FILES, OPEN_FILES))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def main() -> int:
    """Read the file. Return the exit status."""
    limit()
    _, root, reader, options = sys.argv
    sys.path.insert(0, root)
    module, _, name = reader.rpartition(".")
    try:
        read = getattr(importlib.import_module(module), name)
        for found in read(sys.stdin.buffer, json.loads(options)):
            sys.stdout.write(json.dumps(found, ensure_ascii=False) + "\n")
            sys.stdout.flush()
    except MemoryError:
        return OUT_OF_MEMORY
    except Exception as fault:  # noqa: BLE001  # the parent logs its type and reports a broken file
        sys.stdout.write(json.dumps({"raised": type(fault).__name__}) + "\n")
        return FAILED
    return 0


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]  # it is a TextIOWrapper here
    sys.exit(main())

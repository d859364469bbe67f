"""Forks programs from a process with the libraries already loaded, which is faster than starting them.

A normal start takes two seconds of CPU, two thirds of it for libraries. Tests of the start itself start programs
normally (`test_settings.py`), and so do the thorough ones of the installed package (`test_wheel.py`).
"""

import os
import runpy
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Protocol

from tests import ROOT

_FORKING = get_context("forkserver")
_FORKING.set_forkserver_preload(["tests.support.libraries"])


class Process(Protocol):
    """A started process, with the interface of `subprocess.Popen` that tests use."""

    @property
    def pid(self) -> int: ...
    def poll(self) -> int | None: ...
    def wait(self, timeout: float) -> int: ...
    def terminate(self) -> None: ...
    def send_signal(self, number: int) -> None: ...


class Forked:
    """A module run like `python -m`, or a program run like `python -c`.

    Args:
        arguments: the module's name, or `-c` and the program, followed by command-line arguments.
        environment: the complete environment.
        printed: a file for its output.
        errors: a file for its error output; by default the same as `printed`.
        root: the directory of the project's code. Code of the repository is not found in another one.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        environment: Mapping[str, str],
        printed: Path,
        errors: Path | None = None,
        root: Path = ROOT,
    ) -> None:
        self._arguments = arguments
        # A daemon ends with the tests. It may have child processes, which `multiprocessing` does not know.
        given = (list(arguments), dict(environment), str(printed), errors and str(errors), str(root))
        self._process = _FORKING.Process(target=_run, args=given, daemon=True)
        self._process.start()

    @property
    def pid(self) -> int:
        """The id of the process."""
        assert self._process.pid is not None
        return self._process.pid

    def poll(self) -> int | None:
        """The exit status once it has ended, or None; negative for a signal."""
        return self._process.exitcode

    def wait(self, timeout: float) -> int:
        """Wait for the exit status.

        Raises:
            TimeoutExpired: it did not end within so many seconds.
        """
        self._process.join(timeout)
        status = self._process.exitcode
        if status is None:
            raise subprocess.TimeoutExpired(self._arguments, timeout)
        return status

    def send_signal(self, number: int) -> None:
        """Send a signal unless the process has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Send SIGTERM."""
        self.send_signal(signal.SIGTERM)


@dataclass(frozen=True)
class Ended:
    """The result of a program."""

    returncode: int
    stdout: str
    stderr: str


def ended(directory: Path, *arguments: str, environment: Mapping[str, str], root: Path = ROOT) -> Ended:
    """Run a program to its end, with its output written to files in `directory`."""
    printed, errors = directory / "printed", directory / "errors"
    status = Forked(arguments, environment, printed, errors, root).wait(timeout=120)
    return Ended(status, printed.read_text(), errors.read_text())


def _run(arguments: list[str], environment: dict[str, str], printed: str, errors: str | None, root: str) -> None:
    """Run the program in the forked process."""
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(root)
    sys.path[:] = [root, *(entry for entry in sys.path if Path(entry).resolve() != ROOT)]
    sys.dont_write_bytecode = False
    os.dup2(_opened(printed), 1)
    os.dup2(_opened(errors) if errors else 1, 2)
    name, *following = sys.argv = arguments
    if name == "-c":
        exec(compile(following[0], "<given>", "exec"), {"__name__": "__main__"})  # noqa: S102  # our own programs
    else:
        runpy.run_module(name, run_name="__main__", alter_sys=True)


def _opened(path: str) -> int:
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)

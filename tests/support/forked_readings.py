"""Forks the processes that read files from one that has loaded the readers.

A start of such a process takes up to 150 ms of CPU, most of it for libraries. A fork runs the same program with the
same limits, input and output. Tests with the fixture `started_readings` start each process as in production.
"""

import json
import os
import signal
import socket
import struct
import subprocess
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from threading import Lock
from types import SimpleNamespace, TracebackType
from typing import IO, Any, Self

READERS = (
    "courses.model_reading.proposing",
    "courses.syllabi.reading.docx",
    "courses.syllabi.reading.html",
    "courses.syllabi.reading.odt",
    "courses.syllabi.reading.pdf",
    "courses.syllabi.reading.reader",
    "planning.calendar.reader",
    "studyservice.reading.zip_directory",
    "vocab.reading.reader",
)
_ROOT = Path(__file__).resolve().parents[2]
_NUMBER = struct.Struct("i")


class Forked:
    """A process that reads one file, with the interface of `subprocess.Popen` that the service uses."""

    def __init__(self, command: list[str], *, stdin: IO[bytes], **_: Any) -> None:
        self.returncode: int | None = None
        self._forking = _forking()
        end, written = os.pipe()
        arguments = json.dumps(command[command.index("-B") + 1 :]).encode()
        _ONE_AT_A_TIME.acquire()
        socket.send_fds(self._forking, [_NUMBER.pack(len(arguments)) + arguments], [stdin.fileno(), written])
        os.close(written)
        self.stdout = os.fdopen(end, "rb")
        self._pid = self._number()

    def _number(self) -> int:
        (number,) = _NUMBER.unpack(self._forking.recv(_NUMBER.size, socket.MSG_WAITALL))
        return int(number)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the exit status, negative for a signal.

        Raises:
            TimeoutExpired: it did not end within so many seconds.
        """
        if self.returncode is None:
            self._forking.settimeout(timeout)
            try:
                self.returncode = self._number()
            except (TimeoutError, BlockingIOError):
                raise subprocess.TimeoutExpired(READERS[0], timeout or 0) from None
            finally:
                self._forking.settimeout(None)
        return self.returncode

    def kill(self) -> None:
        """Send SIGKILL unless it has ended."""
        if self.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stdout.close()
        self.wait()
        _ONE_AT_A_TIME.release()


_ONE_AT_A_TIME = Lock()
_started: list[tuple["subprocess.Popen[bytes]", socket.socket]] = []


def _forking() -> socket.socket:
    """The connection to the process that forks, which is started first if necessary."""
    if not _started:
        ours, theirs = socket.socketpair()
        with theirs:
            command = [sys.executable, "-I", "-B", __file__, str(_ROOT), str(theirs.fileno())]
            process = subprocess.Popen(command, env={}, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)
        _started.append((process, ours))
    return _started[0][1]


def end() -> None:
    """End the process that forks, if there is one."""
    while _started:
        process, connection = _started.pop()
        connection.close()
        process.wait(timeout=60)


def put_in_place() -> None:
    """Let this process fork its readings."""
    from studyservice.reading import process

    vars(process)["subprocess"] = SimpleNamespace(**vars(subprocess) | {"Popen": Forked})


def put_back() -> None:
    """Let this process start its readings."""
    from studyservice.reading import process

    vars(process)["subprocess"] = subprocess


def _fork_as_asked(connection: socket.socket) -> None:
    """Fork a process for each message, and send its id and then its exit status."""
    while True:
        head, files, _, _ = socket.recv_fds(connection, _NUMBER.size, 2)
        if not head:
            return
        (length,) = _NUMBER.unpack(head)
        arguments = json.loads(connection.recv(length, socket.MSG_WAITALL))
        pid = os.fork()
        if not pid:
            _read(connection, arguments, *files)
        for file in files:
            os.close(file)
        connection.sendall(_NUMBER.pack(pid))
        _, status = os.waitpid(pid, 0)
        connection.sendall(_NUMBER.pack(os.waitstatus_to_exitcode(status)))


def _read(connection: socket.socket, arguments: list[str], given: int, said: int) -> None:
    """Run the program of the child process in the fork."""
    from studyservice.reading import child

    connection.close()
    os.dup2(given, 0)
    os.dup2(said, 1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    os.closerange(3, max(given, said) + 1)
    sys.argv = arguments
    status = child.FAILED
    try:
        status = child.main()
        sys.stdout.flush()
    finally:
        os._exit(status)


if __name__ == "__main__":
    import gc

    sys.path.insert(0, sys.argv[1])
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]  # it is a TextIOWrapper here
    for name in READERS:
        import_module(name)
    if "django" in sys.modules:
        raise RuntimeError("No reader imports Django.")
    gc.freeze()  # loaded modules are kept
    _fork_as_asked(socket.socket(fileno=int(sys.argv[2])))

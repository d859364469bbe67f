"""A gunicorn with its workers: started, waited for, and ended by process id."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import httpx2

from bench import machine

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 180  # for nothing but a machine that is very busy
_STOP_SECONDS = 60


def wait_until(what: str, happened: Callable[[], object], seconds: float = START_SECONDS) -> None:
    """Wait until `happened()` is true.

    Raises:
        TimeoutError: it does not become true.
    """
    deadline = time.monotonic() + seconds
    while not happened():
        if time.monotonic() > deadline:
            raise TimeoutError(what)
        time.sleep(0.05)


@dataclass(slots=True)
class Gunicorn:
    """One server on a port of loopback, by default the service as it is run; `module` is the Python module to run.

    `root` is where its code is.
    """

    port: int
    environment: dict[str, str]
    log: Path
    arguments: tuple[str, ...] = ("-c", "studyservice/gunicorn.py", "studyservice.wsgi")
    module: str = "gunicorn"
    root: Path = ROOT
    master: "subprocess.Popen[bytes] | None" = None

    def start(self) -> None:
        """Start it and wait until it answers.

        Raises:
            RuntimeError: it ended, or does not answer; with the end of its log.
        """
        command = [sys.executable, "-m", self.module, *self.arguments]
        with self.log.open("ab") as output:
            self.master = subprocess.Popen(command, cwd=self.root, env=self.environment, stdout=output, stderr=output)
        try:
            wait_until("an answer", self.answers)
        except TimeoutError:
            raise RuntimeError(self._end_of_log()) from None

    def answers(self) -> bool:
        """Whether anybody listens and answers, whatever it is."""
        if self.master is None or self.master.poll() is not None:
            raise RuntimeError(self._end_of_log())
        try:
            httpx2.get(f"http://127.0.0.1:{self.port}/health", timeout=START_SECONDS, trust_env=False)
        except httpx2.TransportError:
            return False
        return True

    def _end_of_log(self) -> str:
        return f"{' '.join(self.arguments)}:\n{self.log.read_text(errors='replace')[-2000:]}"

    def workers(self) -> list[int]:
        """Process ids of the workers."""
        return [pid for pid in machine.children(self.master.pid) if not machine.ended(pid)] if self.master else []

    def kill_worker(self) -> None:
        """SIGKILL for one worker."""
        os.kill(self.workers()[0], signal.SIGKILL)

    def kill(self) -> None:
        """SIGKILL for every process of it, as when the machine goes."""
        if self.master:
            workers = self.workers()
            master, self.master = self.master, None
            master.kill()
            for pid in workers:
                os.kill(pid, signal.SIGKILL)
            wait_until("workers that end", lambda: all(map(machine.ended, workers)))
            master.wait()

    def stop(self) -> None:
        """End it; by force if that takes more than a minute."""
        if self.master:
            self.master.terminate()
            try:
                self.master.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.kill()

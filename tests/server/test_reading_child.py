"""The child process that reads files: its limits, its partial results, and its queue."""

import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from studyservice.reading import child, process
from studyservice.reading.process import Gate, Limit, Outcome, ReadingBusy, ReadingStarved, read_in_child

pytestmark = [
    pytest.mark.usefixtures("started_readings"),
    pytest.mark.database("sqlite", "processes that read files"),
]

WATCHDOG_SECONDS = 30


def run(reader: str, **options: Any) -> Outcome:
    with tempfile.TemporaryFile() as file:
        file.write(b"content")
        file.flush()
        return read_in_child(f"tests.support.readers.{reader}", file, options)


def test_a_reader_gets_only_the_file_and_the_options() -> None:
    assert run("well", answer=42) == Outcome(
        {
            "content": "content",
            "options": {"answer": 42},
            "environment": [],
            "memory": child.MEMORY_BYTES,
            "django": False,
        },
        complete=True,
        limit=None,
    )


@pytest.mark.parametrize(
    ("reader", "limit", "name"),
    [
        ("busy", Limit.CPU, "CPU time"),
        ("greedy", Limit.MEMORY, "memory"),
        ("talkative", Limit.ANSWER, "length of the answer"),
        ("crash", Limit.CRASH, "crash"),
    ],
)
def test_the_log_names_the_limit_that_ended_a_reading(
    caplog: pytest.LogCaptureFixture, reader: str, limit: Limit, name: str
) -> None:
    outcome = run(reader)
    assert (outcome.complete, outcome.limit, outcome.hit_limit) == (False, limit, True)
    assert f"tests.support.readers.{reader} ended: {name}" in caplog.text


def test_earlier_results_survive_a_crash() -> None:
    assert run("crash").found == {"media_type": "text/plain"}


def test_a_reading_ended_by_the_clock_is_not_the_files_fault(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It used less CPU than its limit, so other processes used the processor."""
    monkeypatch.setattr(process, "WALL_SECONDS", 1.0)
    with pytest.raises(ReadingStarved) as starved:
        run("forever")
    assert (starved.value.status, starved.value.type) == (500, "internal_error")
    assert starved.value.headers == {"Retry-After": "5"}
    assert "tests.support.readers.forever ended: clock" in caplog.text


def test_the_time_limit_allows_the_full_cpu_limit() -> None:
    assert process.WALL_SECONDS >= 3 * child.CPU_SECONDS


def test_garbage_ends_the_results() -> None:
    assert run("garbage").found == {"media_type": "text/plain"}


def test_a_failing_reader_is_logged_without_the_content(caplog: pytest.LogCaptureFixture) -> None:
    outcome = run("failing")
    assert (outcome.found, outcome.complete, outcome.limit) == ({"media_type": "text/plain"}, False, None)
    assert "raised ValueError" in caplog.text
    assert "secret content" not in caplog.text


def test_no_file_can_be_written(tmp_path: Path) -> None:
    assert run("writing", path=str(tmp_path / "file")).found == {"refused": "OSError"}
    assert [file for file in tmp_path.iterdir() if file.stat().st_size] == []


def test_it_dies_with_its_parent() -> None:
    """A SIGKILL of the server leaves no reading behind."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(WATCHDOG_SECONDS)
        options = {"port": server.getsockname()[1]}
        code = (
            "import tempfile; from studyservice.reading.process import read_in_child;"
            f"read_in_child('tests.support.readers.orphan', tempfile.TemporaryFile(), {options})"
        )
        parent = subprocess.Popen([sys.executable, "-c", code], cwd=process._ROOT, env=os.environ)
        try:
            connection, _ = server.accept()
            with connection:
                pid = int(connection.recv(20))
        finally:
            parent.kill()
            parent.wait()
    for _ in range(WATCHDOG_SECONDS * 20):
        if not Path(f"/proc/{pid}").exists() or " Z " in Path(f"/proc/{pid}/stat").read_text():
            return
        time.sleep(0.05)
    pytest.fail("the child lives on")


@pytest.fixture
def reading() -> Iterator[tuple[Gate, threading.Event]]:
    """Somebody reads until the event is set."""
    gate, done, began = Gate(wait_seconds=WATCHDOG_SECONDS), threading.Event(), threading.Event()

    def hold() -> None:
        with gate.turn():
            began.set()
            done.wait(WATCHDOG_SECONDS)

    holder = threading.Thread(target=hold)
    holder.start()
    began.wait(WATCHDOG_SECONDS)
    yield gate, done
    done.set()
    holder.join()


def test_one_waits_while_another_reads_and_a_third_is_rejected_at_once(reading: tuple[Gate, threading.Event]) -> None:
    """Capabilities 1: any other gets a 429 with `Retry-After: 2` at once."""
    gate, done = reading
    order: list[str] = []

    def wait() -> None:
        with gate.turn():
            order.append("waited")

    waiting = threading.Thread(target=wait)
    waiting.start()
    while gate._places._value:  # until it is queued
        time.sleep(0.01)
    with pytest.raises(ReadingBusy) as refused, gate.turn():
        pass
    assert refused.value.headers == {"Retry-After": "2"}
    order.append("refused")
    done.set()
    waiting.join()
    assert order == ["refused", "waited"]


def test_waiting_too_long_is_rejected(reading: tuple[Gate, threading.Event]) -> None:
    gate, _ = reading
    gate._wait_seconds = 0.05
    with pytest.raises(ReadingBusy), gate.turn():
        pass


def test_an_exception_frees_the_queue() -> None:
    gate = Gate()
    for _ in range(3):
        with pytest.raises(KeyError), gate.turn():
            raise KeyError

"""Five members upload the slowest syllabi that are allowed, all at once, while others go on with their work."""

import shutil
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

from bench import machine
from bench.cast import Subject
from bench.drills.bursts import at_once
from bench.drills.client import Answer, Client
from bench.drills.report import Report
from bench.drills.site import Site
from tests.support.hostile_files import flate_bomb, form_fan, many_pages, open_tags

UPLOADERS = 5
_VICTIMS = 3
_PAUSE_SECONDS = 0.05
_MOST_GROWTH_MIB = 150
_HOSTILE: tuple[Callable[[], bytes], ...] = (form_fan, flate_bomb, many_pages, open_tags)
"""The first takes all the time of CPU that a reading has; the others memory, pages and depth."""

_TEXT_CHARACTERS = 500_000
_WEEK = "Week {0}: read chapter {0}\nHomework {0} due {1} October (10 %)\nEssay {0} | Thu, Nov {1} | draft\n"


def drill(site: Site) -> list[Report]:
    """Files that are hard to read, and texts that are long to propose from."""
    report = Report("syllabi")
    url, data, cast = site.fresh("postgresql")
    temporary = data / "temporary"
    temporary.mkdir()
    instance = site.serve(url, data, TMPDIR=str(temporary))
    [worker] = instance.workers()
    before = machine.resident_mib(worker)
    uploaders, others = cast.members[:UPLOADERS], iter(cast.members[UPLOADERS:])
    for make in _HOSTILE:
        content = make()
        uploads = [partial(_file, instance.port, content, one.key) for one in uploaders]
        _together(report, make.__name__, uploads, instance.port, list(islice(others, _VICTIMS)))
    texts = [partial(_text, instance.port, one.key) for one in uploaders]
    _together(report, "texts", texts, instance.port, list(islice(others, _VICTIMS)))
    growth = machine.resident_mib(worker) - before
    report.check(f"the process is the same, {growth:.0f} MiB larger", instance.workers() == [worker])
    report.check(f"by at most {_MOST_GROWTH_MIB} MiB", growth < _MOST_GROWTH_MIB)
    left = [path.name for path in temporary.rglob("*") if path.is_file()]
    report.check(f"temporary files left: {left}", not left)
    instance.stop()
    shutil.rmtree(temporary)
    _check_stored(report, data)
    return [report]


def _together(
    report: Report, what: str, uploads: Sequence[Callable[[], str]], port: int, victims: Sequence[Subject]
) -> None:
    """Everybody's uploads at one moment, and how long others wait meanwhile."""
    over = threading.Event()
    times: list[float] = []
    watching = [threading.Thread(target=_work, args=(port, one, over, times, report)) for one in victims]
    for thread in watching:
        thread.start()
    started = time.monotonic()
    answers = at_once(uploads)
    seconds = time.monotonic() - started
    over.set()
    for thread in watching:
        thread.join()
    report.improper += [f"{what}: {answer!r}" for answer in answers if isinstance(answer, Exception)]
    told = Counter(answer for answer in answers if isinstance(answer, str))
    longest = max(times)
    report.check(f"{what}: {dict(told)}; {len(times)} calls of others are answered", len(times) >= _VICTIMS)
    report.notes.append(f"{what}: {seconds:.1f} s; the longest call of others {longest * 1000:.0f} ms")


def _work(port: int, subject: Subject, over: threading.Event, times: list[float], report: Report) -> None:
    """What a member does meanwhile, within the rate; each call in seconds."""
    with Client(port, subject.key) as client:
        for _ in range(100):
            started = time.monotonic()
            answer = client.call("GET", "/v1/items")
            if not answer.ok:
                report.improper.append(f"list_items: {answer.fault}")
            times.append(time.monotonic() - started)
            if over.wait(_PAUSE_SECONDS):
                return


def _file(port: int, content: bytes, key: str) -> str:
    with Client(port, key) as client:
        return _told(client.call("POST", "/v1/syllabi", file=content))


def _text(port: int, key: str) -> str:
    weeks = "".join(_WEEK.format(number, number % 28 + 1) for number in range(8000))
    with Client(port, key) as client:
        return _told(client.call("POST", "/v1/syllabi", {"text": f"{key[-4:]}\n{weeks}"[:_TEXT_CHARACTERS]}))


def _told(answer: Answer) -> str:
    if answer.status == 429 and answer.headers["Retry-After"] == "2":
        return "busy"
    if not answer.ok:
        return answer.fault
    return f"{answer.body['text_status']}, {len(answer.body['proposal']['items'])} items"


def _check_stored(report: Report, data: Path) -> None:
    """Each file in storage is whole: the upload of somebody."""
    sizes = Counter(path.stat().st_size for path in (data / "files" / "syllabi").rglob("*") if path.is_file())
    report.notes.append(f"files in storage by size: {dict(sizes)}")

"""Five members simultaneously upload the slowest allowed syllabi, while others work."""

import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import islice

from tests.support.hostile_files import flate_bomb, form_fan, many_pages, open_tags
from tools.bench import machine
from tools.bench.cast import Subject
from tools.bench.drills.bursts import at_once
from tools.bench.drills.client import Client
from tools.bench.drills.report import Report
from tools.bench.drills.watch import Watch, items
from tools.bench.site import Site

UPLOADERS = 5
_VICTIMS = 3
_MOST_GROWTH_MIB = 150
_HOSTILE: tuple[Callable[[], bytes], ...] = (form_fan, flate_bomb, many_pages, open_tags)
"""The first uses all the CPU time of a reading. The others use memory, pages and depth."""

_TEXT_CHARACTERS = 500_000
_WEEK = "Week {0}: read chapter {0}\nHomework {0} due {1} October (10 %)\nEssay {0} | Thu, Nov {1} | draft\n"


def drill(site: Site) -> Iterator[Report]:
    """Upload files that are hard to read, and texts with many proposals."""
    report = Report("syllabi")
    url, data, cast = site.fresh("postgresql")
    temporary = data / "temporary"
    temporary.mkdir()
    instance = site.serve(url, data, TMPDIR=str(temporary))
    [worker] = instance.workers()
    before = machine.resident_mib(worker)
    uploaders, others = cast.members[:UPLOADERS], iter(cast.members[UPLOADERS:])
    for make in _HOSTILE:
        uploads = [partial(_upload, instance.port, one.key, file=make()) for one in uploaders]
        _together(report, make.__name__, uploads, instance.port, list(islice(others, _VICTIMS)))
    weeks = "".join(_WEEK.format(number, number % 28 + 1) for number in range(8000))
    bodies = [{"text": f"{one.key[-4:]}\n{weeks}"[:_TEXT_CHARACTERS]} for one in uploaders]
    texts = [partial(_upload, instance.port, one.key, body) for one, body in zip(uploaders, bodies, strict=True)]
    _together(report, "texts", texts, instance.port, list(islice(others, _VICTIMS)))
    growth = machine.resident_mib(worker) - before
    report.check(f"the process was not replaced, and is {growth:.0f} MiB larger", instance.workers() == [worker])
    report.check(f"it grew by at most {_MOST_GROWTH_MIB} MiB", growth < _MOST_GROWTH_MIB)
    left = [path.name for path in temporary.rglob("*") if path.is_file()]
    report.check(f"temporary files left: {left}", not left)
    instance.stop()
    shutil.rmtree(temporary)
    sizes = Counter(path.stat().st_size for path in (data / "files" / "syllabi").rglob("*") if path.is_file())
    report.notes.append(f"files in storage by size: {dict(sizes)}")
    yield report


def _together(
    report: Report, what: str, uploads: Sequence[Callable[[], str]], port: int, victims: Sequence[Subject]
) -> None:
    """Upload all at one moment, and check the calls of others meanwhile."""
    watches = [Watch(port, items, one.key, times=100) for one in victims]
    with ExitStack() as watching:
        for watch in watches:
            watching.enter_context(watch)
        started = time.monotonic()
        answers = at_once(uploads)
        seconds = time.monotonic() - started
    report.improper += [f"{what}: {answer!r}" for answer in answers if isinstance(answer, Exception)]
    told = Counter(answer for answer in answers if isinstance(answer, str))
    calls, longest = sum(len(watch.seconds) for watch in watches), max(watch.longest for watch in watches)
    right = calls >= _VICTIMS and all(watch.only("200") for watch in watches)
    report.check(f"{what}: {dict(told)}; {calls} calls of others are answered", right)
    report.notes.append(f"{what}: {seconds:.1f} s; the longest call of others {longest * 1000:.0f} ms")


def _upload(port: int, key: str, body: object = None, file: bytes | None = None) -> str:
    with Client(port, key) as client:
        answer = client.call("POST", "/v1/syllabi", body, file=file)
    if answer.status == 429 and answer.headers["Retry-After"] == "2":
        return "busy"
    if not answer.ok:
        return answer.fault
    return f"{answer.body['text_status']}, {len(answer.body['proposal']['items'])} items"

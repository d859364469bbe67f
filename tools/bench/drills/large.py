"""The largest possible agenda, exam plan and syllabi, while another member reads."""

import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import islice
from typing import Any

from tests.support.hostile_files import flate_bomb, form_fan, many_pages, open_tags
from tools.bench import machine
from tools.bench.cast import Subject
from tools.bench.drills.client import Client, HttpAnswer
from tools.bench.drills.report import Report, count, execute
from tools.bench.drills.watch import Watch, at_once, items, me, times, together
from tools.bench.measure import percentile
from tools.bench.servers import Server
from tools.bench.site import Site

_MOST_MIB = 250
_AT_ONCE = 4
_LETTERS = {"letters of four bytes": "chr(127891)", "control characters, six bytes each in JSON": "chr(1)"}
_FILL = (
    "UPDATE courses_course SET name = repeat({letter}, 120) WHERE id = '{course}'",
    "DELETE FROM planning_milestone",
    "DELETE FROM courses_item",
    """
    INSERT INTO courses_item (id, member_id, course_id, title, kind, due_on, created_at, updated_at)
    SELECT gen_random_uuid(), member_id, id, repeat({letter}, 160), 'assignment', current_date + 2, now(), now()
    FROM courses_course, generate_series(1, 5000) WHERE id = '{course}'
    """,
    """
    INSERT INTO planning_milestone (id, member_id, item_id, title, due_on, done, position, created_at, updated_at)
    SELECT gen_random_uuid(), member_id, id, repeat({letter}, 160), due_on, false, 1, now(), now() FROM courses_item
    """,
)
_PATH = "/v1/agenda?days=120"
_TOOL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "get_agenda", "arguments": {"days": 120}},
}


def largest_agenda(site: Site) -> Iterator[Report]:
    """Measure REST and the tool, one call and four at once, while another member reads. Each in a new process."""
    report = Report("largest agenda")
    url, data, cast = site.fresh("postgresql")
    owner, other = cast.members[:2]
    for letters, letter in _LETTERS.items():
        execute(url, *(statement.format(letter=letter, course=owner.courses[0]) for statement in _FILL))
        stored = count(url, "planning_milestone")
        report.check(f"{stored} items and milestones of {letters}", stored == 5000)
        for what, body in (("get_agenda", None), ("the tool", _TOOL)):
            for number in (1, _AT_ONCE):
                instance = site.serve(url, data)
                line, right = _measured(instance, [owner] * number, other, body)
                instance.stop()
                report.check(f"{what}, {number} at once: {line}", right)
    yield report


def _measured(instance: Server, owners: list[Subject], other: Subject, body: object) -> tuple[str, bool]:
    """Return the figures, and whether they are within the bounds. The tool must refuse."""
    for known in (owners[0], other):  # a process shares out its threads by member once it knows the credential
        me(Client(instance.port, known.key))
    with Watch(instance.port, me, other.key, pause=0.03) as watch:
        found = at_once([partial(_asked, instance.port, owner.key, body) for owner in owners])
    taken = [one[0] for one in found if isinstance(one, tuple)]
    answers = [one[1] for one in found if isinstance(one, tuple)]
    if len(answers) < len(owners):
        return f"failed: {found}", False
    refused = all(_is_refusal(answer.body) for answer in answers)
    megabytes, peak = int(answers[0].headers["Content-Length"]) / 1e6, machine.peak_mib(instance.worker)
    line = (
        f"{megabytes:.1f} MB in {max(taken):.2f} s; {peak:.0f} MiB at most; "
        f"another member's call {watch.longest:.2f} s at most"
    )
    return line, peak < _MOST_MIB and watch.only("200") and refused is (body is not None)


def _is_refusal(body: Any) -> bool:
    """Return whether this is a tool's error for a result that is too long."""
    result = body.get("result", {})
    return result.get("isError") is True and "Ask for less" in result["content"][0]["text"]


def _asked(port: int, key: str, body: object) -> tuple[float, HttpAnswer]:
    """Return seconds and answer of one call."""
    started = time.monotonic()
    with Client(port, key) as client:
        answer = client.get(_PATH) if body is None else client.call("POST", "/mcp", body)
    return time.monotonic() - started, answer


_EACH = 12
"""Calls on each connection. A credential has 120 a minute, of which reads use half."""

_CARDS = 5000
_PAUSE = 0.5
"""Seconds between the calls of another member, who may send 120 a minute."""

_MOST_PASSED = 2
"""Number of plans that may be answered during one call of another member."""

_EXAM_PLANS_FILL = (
    """
    INSERT INTO vocab_deck (id, member_id, course_id, name, card_count, created_at, updated_at)
    SELECT gen_random_uuid(), member_id, id, 'Deck ' || n, 500, now(), now()
    FROM courses_course, generate_series(1, 10) AS n WHERE id = '{course}'
    """,
    """
    INSERT INTO vocab_card (id, member_id, deck_id, position, term, definition, state, step, stability, difficulty,
        due_at, last_reviewed_at, reps, lapses)
    SELECT gen_random_uuid(), member_id, id, n, 'Term ' || n, repeat('What it is. ', 10), 'review', NULL, 1 + n / 7.0,
        1 + n / 60.0, now() + n % 9 * interval '1 day', now() - interval '40 days', 10, 1
    FROM vocab_deck, generate_series(1, 500) AS n WHERE course_id = '{course}' AND name LIKE 'Deck %'
    """,
    "ANALYZE vocab_card",
)


def exam_plans(site: Site) -> Iterator[Report]:
    """Request the plan and its cards for today, shortly before the exam, where both cost most."""
    report = Report("exam plans")
    url, data, cast = site.fresh("postgresql")
    owner, *others = cast.members[:4]
    execute(url, *(statement.format(course=owner.courses[0]) for statement in _EXAM_PLANS_FILL))
    instance = site.serve(url, data)
    exam = _exam(instance, owner)
    plan = f"/v1/items/{exam}?minutes_a_day=60"
    cards = f"/v1/vocab-decks?for_item={exam}&minutes_a_day=60&limit=20"
    with Client(instance.port, owner.key) as client:
        found = client.get(plan).body["study_plan"]
        sampled = found["cards"] >= _CARDS and found["planned_from"] == "sample"
        report.check(f"{found['cards']} cards are planned, from a sample", sampled)
        asked = client.get(cards).body["data"][0]["cards"]
        report.check("today's first 20 cards are returned", len(asked) == 20)
    alone = Watch(instance.port, me, others[0].key, times=30).run()
    for other, what, path in ((others[1], "plans", plan), (others[2], "lists of today's cards", cards)):
        plans_asked = [
            Watch(instance.port, partial(Client.get, path=path), owner.key, pause=0, times=_EACH)
            for _ in range(_AT_ONCE)
        ]

        def answered(asked: Sequence[Watch] = plans_asked) -> int:
            return sum(one.answers["200"] for one in asked)

        with Watch(instance.port, me, other.key, pause=_PAUSE, beside=answered) as watch:
            at_once([one.run for one in plans_asked])
        report.check(f"{what}: every one of {answered()} was answered", answered() == _AT_ONCE * _EACH)
        report.check(f"{what}: another member's calls: {watch.told()}", watch.only("200"))
        most = percentile(watch.passed, 0.95)
        report.check(
            f"{what}: {most:.0f} plans were answered during a call of another member (p95)", most <= _MOST_PASSED
        )
        report.notes.append(f"{what}: get_me of another member: {times([watch])}; alone: {times([alone])}")
    peak = machine.peak_mib(instance.worker)
    report.check(f"at most {peak:.0f} MiB", peak < _MOST_MIB)
    yield report


def _exam(instance: Server, owner: Subject) -> str:
    due_on = datetime.now(UTC).date() + timedelta(days=5)
    with Client(instance.port, owner.key) as client:
        item = {"title": "Final", "kind": "exam", "due_on": str(due_on)}
        made: str = client.call("POST", f"/v1/courses/{owner.courses[0]}/items", item).body["id"]
    return made


UPLOADERS = 5
_VICTIMS = 3
_MOST_GROWTH_MIB = 150
_HOSTILE: tuple[Callable[[], bytes], ...] = (form_fan, flate_bomb, many_pages, open_tags)
"""The first uses all the CPU time of a reading. The others use memory, pages and depth."""

_TEXT_CHARACTERS = 500_000
_WEEK = "Week {0}: read chapter {0}\nHomework {0} due {1} October (10 %)\nEssay {0} | Thu, Nov {1} | draft\n"


def syllabi(site: Site) -> Iterator[Report]:
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
        _uploaded(report, make.__name__, uploads, instance.port, list(islice(others, _VICTIMS)))
    weeks = "".join(_WEEK.format(number, number % 28 + 1) for number in range(8000))
    bodies = [{"text": f"{one.key[-4:]}\n{weeks}"[:_TEXT_CHARACTERS]} for one in uploaders]
    texts = [partial(_upload, instance.port, one.key, body) for one, body in zip(uploaders, bodies, strict=True)]
    _uploaded(report, "texts", texts, instance.port, list(islice(others, _VICTIMS)))
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


def _uploaded(
    report: Report, what: str, uploads: Sequence[Callable[[], str]], port: int, victims: Sequence[Subject]
) -> None:
    """Upload all at one moment, and check the calls of others meanwhile."""
    watches = [Watch(port, items, one.key, times=100) for one in victims]
    with together(watches):
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

"""The largest possible agenda of a member: every limit reached, everything due, with the longest texts.

REST answers with all of it. It is too long for an assistant, so the tool explains how to ask for less.
"""

import time
from collections.abc import Iterator
from functools import partial
from typing import Any

from tools.bench import machine
from tools.bench.cast import Subject
from tools.bench.drills.bursts import at_once
from tools.bench.drills.client import Answer, Client
from tools.bench.drills.report import Report
from tools.bench.drills.stored import count, execute
from tools.bench.drills.watch import Watch, me
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


def drill(site: Site) -> Iterator[Report]:
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


def _asked(port: int, key: str, body: object) -> tuple[float, Answer]:
    """Return seconds and answer of one call."""
    started = time.monotonic()
    with Client(port, key) as client:
        answer = client.get(_PATH) if body is None else client.call("POST", "/mcp", body)
    return time.monotonic() - started, answer

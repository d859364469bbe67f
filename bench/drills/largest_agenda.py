"""The largest agenda that a member can have: all that may be stored, all of it due, with the longest texts.

REST answers it. As a tool it is over what an assistant is given, so the tool says how to ask for less.
"""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from bench import machine
from bench.cast import Subject
from bench.drills.client import Answer, Client
from bench.drills.report import Report
from bench.drills.site import Instance, Site
from bench.drills.stored import query

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


def drill(site: Site) -> list[Report]:
    """Over REST and as a tool, while another member reads; a fresh process for each.

    One call has to keep to the bounds, and so have four at once of the same member.
    """
    report = Report("largest agenda")
    url, data, cast = site.fresh("postgresql")
    owner, other = cast.members[:2]
    for letters, letter in _LETTERS.items():
        before = [statement.format(letter=letter, course=owner.courses[0]) for statement in _FILL]
        [(stored,)] = query(url, "SELECT count(*) FROM planning_milestone", before)
        report.check(f"{stored} items and milestones of {letters}", stored == 5000)
        for what, body in (("get_agenda", None), ("the tool", _TOOL)):
            for number in (1, _AT_ONCE):
                instance = site.serve(url, data)
                line, right = _measured(instance, [owner] * number, other, body)
                instance.stop()
                report.check(f"{what}, {number} at once: {line}", right)
    return [report]


def _measured(instance: Instance, owners: list[Subject], other: Subject, body: object) -> tuple[str, bool]:
    """What was measured, and whether it keeps to the bounds; a tool has to refuse."""
    [worker] = instance.workers()
    with ThreadPoolExecutor(len(owners)) as pool, Client(instance.port, other.key) as client:
        client.call("GET", "/v1/me")
        asked = [pool.submit(_asked, instance, owner, body) for owner in owners]
        longest, others = 0.0, {200}
        while not all(one.done() for one in asked):
            started = time.monotonic()
            others.add(client.call("GET", "/v1/me").status)
            longest = max(longest, time.monotonic() - started)
    found = [one.result() for one in asked]
    refused = all(_is_refusal(answer.body) for _, answer in found)
    megabytes = int(found[0][1].headers["Content-Length"]) / 1e6
    peak = machine.peak_mib(worker)
    line = (
        f"{megabytes:.1f} MB in {max(taken for taken, _ in found):.2f} s; {peak:.0f} MiB at most; "
        f"another member's call {longest:.2f} s at most"
    )
    return line, peak < _MOST_MIB and others == {200} and refused is (body is not None)


def _is_refusal(body: Any) -> bool:
    """Whether this is what a tool says instead of an answer that is too long."""
    result = body.get("result", {})
    return result.get("isError") is True and "Ask for less" in result["content"][0]["text"]


def _asked(instance: Instance, owner: Subject, body: object) -> tuple[float, Answer]:
    """Seconds and answer of one call."""
    started = time.monotonic()
    with Client(instance.port, owner.key) as client:
        answer = client.call("GET", _PATH) if body is None else client.call("POST", "/mcp", body)
    return time.monotonic() - started, answer

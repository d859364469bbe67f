"""Items, the agenda, and the readiness for its first exams."""

import base64
import hashlib
import hmac
import os
import struct
import unicodedata
from datetime import UTC, date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any
from uuid import UUID, uuid4

import fsrs

from tools.bench.floor.ground import Caller, Refused, query, timestamp

_EXAMINED = frozenset({"exam", "quiz"})
_DECAY = -fsrs.Scheduler().parameters[20]
_FACTOR = 0.9 ** (1 / _DECAY) - 1
_READINESS = """
    WITH wanted AS (
        SELECT * FROM unnest(%(items)s::uuid[], %(courses)s::uuid[], %(noons)s::timestamptz[])
            WITH ORDINALITY AS w (item, course, noon, place)
        WHERE EXISTS (
            SELECT FROM vocab_deck d JOIN vocab_card k ON k.deck_id = d.id
            WHERE k.member_id = %(member)s AND d.course_id = w.course AND d.card_count > 0 AND NOT k.suspended
        )
        ORDER BY place LIMIT 3
    ), cards AS (
        SELECT item, place, stability, greatest(date_part('day', noon - last_reviewed_at), 0) AS days
        FROM wanted JOIN vocab_deck d ON d.course_id = course JOIN vocab_card k ON k.deck_id = d.id
        WHERE k.member_id = %(member)s AND NOT k.suspended
    )
    SELECT item, count(*), count(stability), count(*) FILTER (WHERE days / stability > %(times)s),
        coalesce(sum(power(1 + %(factor)s * days / stability, %(decay)s)) FILTER (WHERE stability IS NOT NULL), 0)
    FROM cards GROUP BY item, place ORDER BY place
"""


def readiness(caller: Caller, items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the readiness for the first three exams or quizzes of courses with cards. One statement or none."""
    wanted = [item for item in items if item["kind"] in _EXAMINED]
    if not wanted:
        return []
    found = query(
        _READINESS,
        {
            "member": caller.member,
            "items": [item["id"] for item in wanted],
            "courses": [item["course_id"] for item in wanted],
            "noons": [datetime.combine(item["due_on"], time(12), caller.zone) for item in wanted],
            "times": (caller.desired_retention ** (1 / _DECAY) - 1) / _FACTOR,
            "factor": _FACTOR,
            "decay": _DECAY,
        },
    )
    by_id: dict[Any, dict[str, Any]] = {item["id"]: item for item in wanted}
    return [
        {
            "item_id": item,
            "title": by_id[item]["title"],
            "course_name": by_id[item]["course_name"],
            "on": by_id[item]["due_on"],
            "cards": cards,
            "desired_retention": _percent(caller.desired_retention, 1),
            "expected_recall": _percent(recalled, cards),
            "seen_recall": _percent(recalled, reviewed) if reviewed else None,
            "unseen": cards - reviewed,
            "below_target": below,
        }
        for item, cards, reviewed, below, recalled in found
    ]


def _percent(part: float, whole: int) -> float:
    return float((Decimal(100 * part) / whole).quantize(Decimal("0.01"), ROUND_HALF_UP))


_CURSOR_KEY = hashlib.sha256(os.environ["SECRET_KEY"].encode()).digest()
_ITEM_KINDS = frozenset({"exam", "quiz", "assignment", "lab", "paper", "project", "other"})
_MISSED_FOR = timedelta(days=30)
_MOST_MISSED = 50
_ITEM_COLUMNS = """
    i.id, i.course_id, c.name, i.title, i.kind, i.due_on, i.created_at, i.updated_at, i.due_time, i.category_id,
    left(i.note, 200), i.done, i.done_at, i.graded, i.missable_from, CASE WHEN i.category_id IS NOT NULL THEN (
        SELECT round(100 * g.weight / nullif((
            SELECT sum(w.weight) FROM grades_gradecategory w
            WHERE w.member_id = i.member_id AND w.course_id = g.course_id
        ), 0) / greatest(1, greatest(
            (SELECT count(*) FROM courses_item n WHERE n.member_id = i.member_id AND n.category_id = g.id),
            (SELECT count(*) FROM grades_gradescore s WHERE s.member_id = i.member_id AND s.category_id = g.id)
            + (
                SELECT count(*) FROM courses_item n WHERE n.member_id = i.member_id AND n.category_id = g.id
                AND NOT n.done AND NOT n.graded AND (n.due_on IS NULL OR n.due_on >= %(today)s)
            )
        ) - g.drop_lowest), 2)
        FROM grades_gradecategory g WHERE g.member_id = i.member_id AND g.id = i.category_id
    ) END
"""
_ITEMS = f"""
    SELECT {_ITEM_COLUMNS} FROM courses_item i JOIN courses_course c ON c.id = i.course_id
    WHERE i.member_id = %(member)s ORDER BY i.due_on, i.time_in_order, i.created_at, i.id LIMIT %(rows)s
"""  # noqa: S608  # no input in it
_DUE = f"""
    SELECT {_ITEM_COLUMNS} FROM courses_item i JOIN courses_course c ON c.id = i.course_id
    WHERE i.member_id = %(member)s AND i.due_on BETWEEN %(missed_from)s AND %(until)s AND (
        i.due_on >= %(today)s
        OR NOT i.done AND NOT i.graded AND i.kind NOT IN ('exam', 'quiz') AND i.due_on >= i.missable_from
    )
    ORDER BY i.due_on, i.time_in_order, i.created_at, i.id
"""  # noqa: S608  # no input in it
_OPEN_MILESTONES = """
    SELECT s.id, s.item_id, s.title, s.due_on, s.done, s.position, i.title, c.name
    FROM planning_milestone s JOIN courses_item i ON i.id = s.item_id JOIN courses_course c ON c.id = i.course_id
    WHERE s.member_id = %s AND NOT s.done AND (s.due_on <= %s OR (s.due_on IS NULL AND i.due_on BETWEEN %s AND %s))
    ORDER BY s.due_on, s.position, s.created_at, s.id
"""
# One statement and one round trip. Unlike the service's, its count has a race condition.
_CREATE_ITEM = """
    WITH tick AS (
        UPDATE accounts_member SET write_clock = GREATEST(%(now)s, write_clock + interval '1 microsecond')
        WHERE id = %(member)s RETURNING write_clock
    ), course AS (
        SELECT c.name FROM courses_course c WHERE c.member_id = %(member)s AND c.id = %(course)s
        AND (SELECT count(*) FROM courses_item WHERE course_id = c.id) < 1000
    ), added AS (
        INSERT INTO courses_item
            (id, member_id, course_id, title, kind, due_on, created_at, updated_at, missable_from, folded)
        SELECT %(id)s, %(member)s, %(course)s, %(title)s, %(kind)s, %(due_on)s, write_clock, write_clock, %(today)s,
            %(folded)s
        FROM tick, course RETURNING created_at
    )
    SELECT course.name, added.created_at FROM added, course
"""


def _item(row: tuple[Any, ...], today: date) -> dict[str, Any]:
    item_id, course_id, course_name, title, kind, due_on, created_at, updated_at, *more = row
    due_time, category_id, note, done, done_at, graded, missable_from, worth = more
    return {
        "id": item_id,
        "course_id": course_id,
        "course_name": course_name,
        "title": title,
        "kind": kind,
        "due_on": due_on,
        "due_time": due_time,
        "days_until": None if due_on is None else (due_on - today).days,
        "category_id": category_id,
        "note": note,
        "done": done,
        "done_at": done_at and timestamp(done_at),
        "status": "graded" if graded else "done" if done else _unended(kind, due_on, missable_from, today),
        "worth": None if worth is None else float(worth),
        "created_at": timestamp(created_at),
        "updated_at": timestamp(updated_at),
    }


def _unended(kind: str, due_on: date | None, missable_from: date, today: date) -> str:
    if due_on is None or due_on >= today:
        return "open"
    return "past" if kind in _EXAMINED or due_on < missable_from else "missed"


def list_items(caller: Caller, limit: int) -> dict[str, Any]:
    """Return the first page of items."""
    rows = query(_ITEMS, {"member": caller.member, "today": caller.today, "rows": limit + 1})
    more = len(rows) > limit
    return {
        "data": [_item(row, caller.today) for row in rows[:limit]],
        "has_more": more,
        "next_cursor": _cursor(rows[limit - 1], caller) if more else None,
    }


def _cursor(row: tuple[Any, ...], caller: Caller) -> str:
    due_on, created_at = row[5], row[6]
    place = struct.pack(">Id16s", due_on.toordinal() if due_on else 0, created_at.timestamp(), row[0].bytes)
    mac = hmac.digest(_CURSOR_KEY, place + caller.member.bytes, "sha256")[:16]
    return base64.urlsafe_b64encode(place + mac).decode()


def get_agenda(caller: Caller, days: int) -> dict[str, Any]:
    """Return the agenda."""
    today = caller.today
    until = today + timedelta(days=days)
    bounds = {"member": caller.member, "missed_from": today - _MISSED_FOR, "today": today, "until": until}
    found = [_item(row, today) for row in query(_DUE, bounds)]
    items = [item for item in found if item["due_on"] >= today]
    milestones = query(_OPEN_MILESTONES, (caller.member, until, today, until))
    return {
        "today": today,
        "weekday": f"{today:%A}",
        "until": until,
        "items": items,
        "missed": [item for item in found if item["due_on"] < today][-_MOST_MISSED:],
        "milestones": [
            {
                "id": milestone_id,
                "item_id": item_id,
                "title": title,
                "due_on": due_on,
                "done": done,
                "position": position,
                "item_title": item_title,
                "course_name": course_name,
                "overdue": not done and due_on is not None and due_on < today,
            }
            for milestone_id, item_id, title, due_on, done, position, item_title, course_name in milestones
        ],
        "readiness": readiness(caller, items),
    }


def create_item(caller: Caller, course_id: UUID, body: dict[str, Any]) -> dict[str, Any]:
    """Create an item."""
    title, kind = body["title"].strip(), body.get("kind", "other")
    due_on = date.fromisoformat(body["due_on"]) if body.get("due_on") else None
    if not 1 <= len(title) <= 160 or kind not in _ITEM_KINDS:
        raise Refused("422 Unprocessable Content")
    item_id = uuid4()
    found = query(
        _CREATE_ITEM,
        {
            "now": datetime.now(UTC),
            "member": caller.member,
            "course": course_id,
            "id": item_id,
            "title": title,
            "kind": kind,
            "due_on": due_on,
            "today": caller.today,
            "folded": unicodedata.normalize("NFC", title).casefold(),
        },
    )
    if not found:
        raise Refused("404 Not Found")
    [(course_name, written)] = found
    rest = (None, None, None, False, None, False, caller.today, None)
    return _item((item_id, course_id, course_name, title, kind, due_on, written, written, *rest), caller.today)

"""The floor: the same answers from one bare WSGI function, psycopg and hand-written queries.

What every request of this service must do, and nothing else: resolve the credential with its member in one query, check
scope and membership, fetch, write JSON. It leaves out what a service has besides: request ids, rate limits, a log,
CORS, errors that explain themselves, input other than what is measured.
"""

import base64
import hashlib
import hmac
import os
import struct
import threading
import zoneinfo
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, NamedTuple
from urllib.parse import parse_qsl
from uuid import UUID, uuid4

import orjson
import psycopg

DATABASE_URL = os.environ["DATABASE_URL"]
_CURSOR_KEY = hashlib.sha256(os.environ["SECRET_KEY"].encode()).digest()
_ITEM_KINDS = frozenset({"exam", "quiz", "assignment", "lab", "paper", "project", "other"})
_LETTERS = (
    (97, "A+"),
    (93, "A"),
    (90, "A-"),
    (87, "B+"),
    (83, "B"),
    (80, "B-"),
    (77, "C+"),
    (73, "C"),
    (70, "C-"),
    (67, "D+"),
    (63, "D"),
    (60, "D-"),
)

_CREDENTIAL = """
    SELECT k.may_write, k.expires_at, m.id, m.time_zone, m.membership_active, m.membership_until
    FROM accounts_apikey k JOIN accounts_member m ON m.id = k.member_id
    WHERE k.secret_hash = %s AND k.revoked_at IS NULL AND m.is_active
"""
_ITEM_COLUMNS = "i.id, i.course_id, c.name, i.title, i.kind, i.due_on, i.created_at, i.updated_at"
_ITEMS = f"""
    SELECT {_ITEM_COLUMNS} FROM courses_item i JOIN courses_course c ON c.id = i.course_id
    WHERE i.member_id = %s ORDER BY i.due_on, i.created_at, i.id LIMIT %s
"""  # noqa: S608  # no input in it
_DUE = f"""
    SELECT {_ITEM_COLUMNS} FROM courses_item i JOIN courses_course c ON c.id = i.course_id
    WHERE i.member_id = %s AND i.due_on BETWEEN %s AND %s ORDER BY i.due_on, i.created_at, i.id
"""  # noqa: S608  # no input in it
_OPEN_MILESTONES = """
    SELECT s.id, s.item_id, s.title, s.due_on, s.done, s.position, i.title, c.name
    FROM planning_milestone s JOIN courses_item i ON i.id = s.item_id JOIN courses_course c ON c.id = i.course_id
    WHERE s.member_id = %s AND NOT s.done AND (s.due_on <= %s OR (s.due_on IS NULL AND i.due_on BETWEEN %s AND %s))
    ORDER BY s.due_on, s.position, s.created_at, s.id
"""
_GRADES = """
    SELECT c.name, g.id, g.name, g.weight, s.id, s.label, s.score, s.created_at
    FROM courses_course c
    LEFT JOIN grades_gradecategory g ON g.course_id = c.id AND g.member_id = c.member_id
    LEFT JOIN grades_gradescore s ON s.category_id = g.id AND s.member_id = c.member_id
    WHERE c.member_id = %s AND c.id = %s ORDER BY g.position, g.id, s.created_at, s.id
"""
# One statement and one round trip. Its count is not safe from a race as the service's is, which costs it nothing.
_CREATE_ITEM = """
    WITH tick AS (
        UPDATE accounts_member SET write_clock = GREATEST(%(now)s, write_clock + interval '1 microsecond')
        WHERE id = %(member)s RETURNING write_clock
    ), course AS (
        SELECT c.name FROM courses_course c WHERE c.member_id = %(member)s AND c.id = %(course)s
        AND (SELECT count(*) FROM courses_item WHERE course_id = c.id) < 1000
    ), added AS (
        INSERT INTO courses_item (id, member_id, course_id, title, kind, due_on, created_at, updated_at)
        SELECT %(id)s, %(member)s, %(course)s, %(title)s, %(kind)s, %(due_on)s, write_clock, write_clock
        FROM tick, course RETURNING created_at
    )
    SELECT course.name, added.created_at FROM added, course
"""

_local = threading.local()
_zones: dict[str, zoneinfo.ZoneInfo] = {}


class Refused(Exception):
    """An answer other than a success."""

    def __init__(self, status: str) -> None:
        super().__init__(status)
        self.status = status


class Caller(NamedTuple):
    """Whose request it is."""

    member: UUID
    today: date
    may_write: bool


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """The WSGI application."""
    try:
        status, answer = _answer(environ)
    except Refused as refused:
        status, answer = refused.status, {"error": {"message": refused.status}}
    body = orjson.dumps(answer)
    start_response(status, [("Content-Type", "application/json"), ("Content-Length", str(len(body)))])
    return [body]


def _answer(environ: dict[str, Any]) -> tuple[str, Any]:
    caller = _caller(environ)
    match environ["REQUEST_METHOD"], environ["PATH_INFO"].split("/")[1:]:
        case "GET", ["v1", "items"]:
            return "200 OK", list_items(caller, _number(environ, "limit", 25, 100))
        case "GET", ["v1", "agenda"]:
            return "200 OK", get_agenda(caller, _number(environ, "days", 14, 120))
        case "GET", ["v1", "courses", course, "grades"]:
            return "200 OK", get_grades(caller, UUID(course))
        case "POST", ["v1", "courses", course, "items"]:
            if not caller.may_write:
                raise Refused("403 Forbidden")
            body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
            return "201 Created", create_item(caller, UUID(course), orjson.loads(body))
    raise Refused("404 Not Found")


def _rows(sql: str, parameters: Any) -> list[tuple[Any, ...]]:
    connection: psycopg.Connection | None = getattr(_local, "connection", None)
    if connection is None:
        connection = _local.connection = psycopg.connect(DATABASE_URL, autocommit=True, options="-c timezone=UTC")
    return connection.execute(sql, parameters).fetchall()


def _caller(environ: dict[str, Any]) -> Caller:
    scheme, _, secret = environ.get("HTTP_AUTHORIZATION", "").partition(" ")
    found = _rows(_CREDENTIAL, (hashlib.sha256(secret.encode()).hexdigest(),)) if scheme == "Bearer" else []
    if not found:
        raise Refused("401 Unauthorized")
    [(may_write, expires_at, member, time_zone, active, until)] = found
    now = datetime.now(UTC)
    if expires_at is not None and expires_at <= now:
        raise Refused("401 Unauthorized")
    zone = _zones.get(time_zone)
    if zone is None:
        zone = _zones[time_zone] = zoneinfo.ZoneInfo(time_zone)
    today = now.astimezone(zone).date()
    if not active or (until is not None and until < today):
        raise Refused("403 Forbidden")
    return Caller(member, today, may_write)


def _number(environ: dict[str, Any], name: str, default: int, most: int) -> int:
    query = environ["QUERY_STRING"]
    number = int(dict(parse_qsl(query)).get(name, default)) if query else default
    if not 1 <= number <= most:
        raise Refused("422 Unprocessable Content")
    return number


def _time(value: datetime) -> str:
    return value.isoformat(timespec="microseconds")[:26] + "Z"


def _item(row: tuple[Any, ...], today: date) -> dict[str, Any]:
    item_id, course_id, course_name, title, kind, due_on, created_at, updated_at = row
    return {
        "id": item_id,
        "course_id": course_id,
        "course_name": course_name,
        "title": title,
        "kind": kind,
        "due_on": due_on,
        "days_until": None if due_on is None else (due_on - today).days,
        "created_at": _time(created_at),
        "updated_at": _time(updated_at),
    }


def list_items(caller: Caller, limit: int) -> dict[str, Any]:
    """The first page of items."""
    rows = _rows(_ITEMS, (caller.member, limit + 1))
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
    """What is due."""
    today = caller.today
    until = today + timedelta(days=days)
    items = _rows(_DUE, (caller.member, today, until))
    milestones = _rows(_OPEN_MILESTONES, (caller.member, until, today, until))
    return {
        "today": today,
        "until": until,
        "items": [_item(row, today) for row in items],
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
    }


def get_grades(caller: Caller, course_id: UUID) -> dict[str, Any]:
    """The breakdown of a course, from one query."""
    rows = _rows(_GRADES, (caller.member, course_id))
    if not rows:
        raise Refused("404 Not Found")
    categories: dict[UUID, dict[str, Any]] = {}
    exact: dict[UUID, list[Decimal]] = {}
    weights: dict[UUID, Decimal] = {}
    for _, category_id, name, weight, score_id, label, score, created_at in rows:
        if category_id is None:
            continue
        if category_id not in categories:
            categories[category_id] = {"id": category_id, "name": name, "weight": float(weight), "scores": []}
            exact[category_id] = []
            weights[category_id] = weight
        if score_id is not None:
            exact[category_id].append(score)
            categories[category_id]["scores"].append(
                {
                    "id": score_id,
                    "category_id": category_id,
                    "label": label,
                    "score": float(score),
                    "created_at": _time(created_at),
                }
            )
    total = earned = Decimal()
    for category_id, category in categories.items():
        scores = exact[category_id]
        average = sum(scores, Decimal()) / len(scores) if scores else None
        category["average"] = None if average is None else float(_rounded(average))
        if average is not None:
            total += weights[category_id]
            earned += weights[category_id] * average
    grade = _rounded(earned / total) if total else None
    return {
        "course_id": course_id,
        "course_name": rows[0][0],
        "categories": list(categories.values()),
        "current_grade": None if grade is None else float(grade),
        "letter_grade": None if grade is None else next((name for least, name in _LETTERS if grade >= least), "F"),
    }


def _rounded(percent: Decimal) -> Decimal:
    return percent.quantize(Decimal("0.01"), ROUND_HALF_UP)


def create_item(caller: Caller, course_id: UUID, body: dict[str, Any]) -> dict[str, Any]:
    """A new item."""
    title, kind = body["title"].strip(), body.get("kind", "other")
    due_on = date.fromisoformat(body["due_on"]) if body.get("due_on") else None
    if not 1 <= len(title) <= 160 or kind not in _ITEM_KINDS:
        raise Refused("422 Unprocessable Content")
    item_id = uuid4()
    found = _rows(
        _CREATE_ITEM,
        {
            "now": datetime.now(UTC),
            "member": caller.member,
            "course": course_id,
            "id": item_id,
            "title": title,
            "kind": kind,
            "due_on": due_on,
        },
    )
    if not found:
        raise Refused("404 Not Found")
    [(course_name, written)] = found
    return _item((item_id, course_id, course_name, title, kind, due_on, written, written), caller.today)

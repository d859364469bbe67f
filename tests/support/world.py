"""Shared by the tests that walk every operation: valid calls from the published examples, and raw answers."""

import copy
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Self
from uuid import uuid4

from django.apps import apps
from django.db import connection
from django.test import Client
from django.test.client import MULTIPART_CONTENT

from tests.support.archives import one_course
from tests.support.calendar_files import one_deadline
from tests.support.entry_points import STATUS, RestEntryPoint, document, routes, whole
from tests.support.uploads import multipart

OPERATIONS = sorted(routes())
REST_ALONE = {
    "import_calendar",
    "add_school_calendar",
    "list_school_calendars",
    "get_school_calendar",
    "update_school_calendar",
    "delete_school_calendar",
    "refresh_school_calendar",
    "answer_school_calendar",
    "list_changes",
    "undo_change",
    "update_me",
    "update_grade_score",
    "update_vocab_deck",
    "add_vocab_cards",
    "create_syllabus",
    "delete_syllabus",
    "get_syllabus",
    "get_syllabus_file",
    "list_syllabi",
    "update_vocab_card",
    "delete_vocab_card",
    "export_vocab_deck",
    "import_vocab_decks",
    "export_data",
    "import_data",
}
"""Operations without a tool. Each new one must be added here."""

INTO_NOTHING = {"import_data"}
"""Operations that require an account without courses and decks."""

DOWNLOADS = {"export_data", "export_vocab_deck", "get_syllabus_file"}
"""Operations that return a file."""

TOOLS = sorted(set(OPERATIONS) - REST_ALONE)
WRITES = [name for name in OPERATIONS if routes()[name].method != "GET"]
USED_UP = {name for name in WRITES if routes()[name].method == "DELETE"} | {
    "undo_change",
    "refresh_school_calendar",
}
"""Operations that work once per object or period."""

WITH_UPLOAD = [name for name in OPERATIONS if routes()[name].is_upload]
WITH_BODY = [name for name in OPERATIONS if routes()[name].takes_body and name not in WITH_UPLOAD]
WITH_PATH_ID = [name for name in OPERATIONS if routes()[name].path_ids]
PATHS = sorted({route.path for route in routes().values()})

_BODIES: dict[str, Any] = {
    "create_course": {"name": "Cell Biology", "code": "BIO 210", "term": "Fall semester", "subject": "Biology"},
    "create_item": {"title": "Midterm exam", "kind": "exam", "due_on": "2026-12-03"},
    "add_grade_score": {"category_id": "", "label": "Quiz 3", "score": 84.5},
    "update_grade_score": {"category_id": "", "label": "Quiz 3", "score": 84.5},
    "create_milestone": {"title": "Outline", "due_on": "2026-11-28"},
    "set_grade_categories": {"categories": [{"name": "Quizzes", "weight": 20}, {"name": "Exam", "weight": 80}]},
}
"""Bodies for operations whose published example names nested objects, works only once, or has every field."""

UPLOADS: dict[str, Callable[[], bytes]] = {
    "import_calendar": one_deadline,
    "import_data": one_course,
    "import_vocab_decks": lambda: b"term,definition\r\nNucleus,Holds the DNA.\r\n",
}
"""Creates a file that the operation accepts."""

_REQUEST_ID = re.compile(r"req_[A-Za-z0-9_-]{24,}")
_RATE_HEADERS = ("RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset")


def declared(operation_id: str) -> Any:
    """The operation in the OpenAPI document."""
    route = routes()[operation_id]
    return document()["paths"][route.path][route.method.lower()]


def resolved(schema: Any) -> Any:
    """`schema`, or the component that it refers to."""
    while "$ref" in schema:
        found = document()
        for step in schema["$ref"].removeprefix("#/").split("/"):
            found = found[step]
        schema = found
    return schema


def body_schema(operation_id: str) -> Any:
    """The schema of the operation's request body."""
    return resolved(declared(operation_id)["requestBody"]["content"]["application/json"]["schema"])


@dataclass(frozen=True)
class Call:
    """One HTTP request that can be sent with any credential."""

    method: str
    path: str
    body: Any = None
    query: str = ""
    environ: dict[str, str] = field(default_factory=dict)
    file: bytes | None = None
    """A body of `multipart/form-data` in place of JSON."""

    def send(self, **headers: str) -> Any:
        """Send it. Header names are written with underscores (`Authorization`, `X_API_Key`)."""
        if self.file is not None:
            return self.send_raw(multipart(self.file), MULTIPART_CONTENT, **headers)
        return self.send_raw(None if self.body is None else encoded(self.body), **headers)

    def send_raw(self, data: bytes | None, content_type: str | None = "application/json", **headers: str) -> Any:
        """Send it with the bytes `data` as its body."""
        sent = {"HTTP_" + name.upper(): value for name, value in headers.items()}
        environ: dict[str, Any] = {"QUERY_STRING": self.query} | self.environ | sent
        client = Client(raise_request_exception=False)
        if data is None:
            return whole(client.generic(self.method, self.path, **environ))
        return whole(client.generic(self.method, self.path, data, content_type or "", **environ))


def encoded(value: Any) -> bytes:
    """`value` as JSON, including lone surrogates."""
    import json

    return json.dumps(value).encode()


class World:
    """One member's objects, created when an operation's arguments need them."""

    def __init__(self, entry_point: RestEntryPoint, ids: Mapping[str, str] | None = None) -> None:
        self.entry_point = entry_point
        self._ids = {**(ids or {})}

    @classmethod
    def filled(cls, entry_point: RestEntryPoint) -> Self:
        """One object for every path id, for cases that would each create their own."""
        world = cls(entry_point)
        world.fill()
        return world

    def copy(self) -> Self:
        """The same objects. Those that the copy creates or forgets are its own."""
        return type(self)(self.entry_point, self._ids)

    def id(self, name: str) -> str:
        """The id of this member's object for the parameter `name`."""
        if name not in self._ids:
            self._ids[name] = self._make(name)
        if name == "calendar_id":
            _hold(self._ids[name])
        return self._ids[name]

    def _make(self, name: str) -> str:  # noqa: C901  # a case for each kind of object
        made = self.made
        match name:
            case "course_id":
                record = made("create_course", name="Cell Biology")
            case "item_id":
                record = made("create_item", course_id=self.id("course_id"), title="Midterm", due_on="2030-01-31")
            case "milestone_id":
                record = made("create_milestone", item_id=self.id("item_id"), title="Outline")
            case "category_id":
                categories = [{"name": "Quizzes", "weight": 40}]
                answer = made("set_grade_categories", course_id=self.id("course_id"), categories=categories)
                [record] = answer["categories"]
            case "score_id":
                fields = {"category_id": self.id("category_id"), "label": "Quiz 1", "score": 80}
                record = made("add_grade_score", course_id=self.id("course_id"), **fields)
            case "deck_id":
                record = made("create_vocab_deck", name="Organelles", cards=[{"term": "ATP", "definition": "Energy"}])
            case "card_id":
                deck = made("create_vocab_deck", name="Membranes", cards=[{"term": "Pore", "definition": "Hole"}])
                [record] = deck["cards"]
            case "syllabus_id":
                record = made("create_syllabus", text=new_text())
            case "calendar_id":
                record = made("add_school_calendar", url=new_address())
            case "change_id":
                made("create_course", name="Botany")
                record = self.made("list_changes", limit=1)["data"][0]
            case _:
                raise LookupError(f"No object is known that fits {name}; teach tests/support/world.py to make one")
        made_id: str = record["id"]
        return made_id

    def made(self, operation_id: str, **arguments: Any) -> Any:
        """The record of a call that must succeed, through the entry point of the test. Operations without a tool use
        REST.
        """
        entry_point = RestEntryPoint(self.entry_point.secret) if operation_id in REST_ALONE else self.entry_point
        return entry_point.made(operation_id, **arguments)

    def empty(self) -> None:
        """Delete every course and deck."""
        for name, listed in (("course", "list_courses"), ("vocab_deck", "list_vocab_decks")):
            for one in self.made(listed)["data"]:
                self.made(f"delete_{name}", **{f"{name.removeprefix('vocab_')}_id": one["id"]})
        self.forget()

    def forget(self) -> None:
        """Create new objects from here on."""
        self._ids.clear()

    def fill(self) -> None:
        """Create one object for every path id."""
        for name in sorted({name for route in routes().values() for name in route.path_ids}):
            self.id(name)

    def body(self, operation_id: str) -> Any:
        """A valid body, or None: the published example with this member's ids, or an entry of `_BODIES`."""
        if operation_id not in WITH_BODY:
            return None
        body = copy.deepcopy(_BODIES.get(operation_id) or body_schema(operation_id)["examples"][0])
        if operation_id == "create_syllabus":
            body["text"] = new_text()
        elif operation_id == "add_school_calendar":
            body["url"] = new_address()
        return {name: self.id(name) if name.endswith("_id") else value for name, value in body.items()}

    def body_with(self, operation_id: str, ids: dict[str, str]) -> Any:
        """The published example with these ids and no others."""
        if operation_id not in WITH_BODY:
            return None
        body = copy.deepcopy(_BODIES.get(operation_id) or body_schema(operation_id)["examples"][0])
        if operation_id == "create_syllabus":
            body = {"text": new_text()}
        elif operation_id == "add_school_calendar":
            body["url"] = new_address()
        return {name: ids.get(name) if name.endswith("_id") else value for name, value in body.items()}

    def files(self, operation_id: str) -> dict[str, bytes]:
        """The files of an upload by part name; empty for other operations."""
        return {"file": UPLOADS[operation_id]()} if operation_id in WITH_UPLOAD else {}

    def call(self, operation_id: str, **path_ids: str) -> Call:
        """A valid call of the operation, or one that differs from it only in `path_ids`."""
        if operation_id in INTO_NOTHING and self._ids:
            self.empty()
        route = routes()[operation_id]
        ids = {name: path_ids.get(name) or self.id(name) for name in route.path_ids}
        return Call(
            route.method, route.path.format(**ids), self.body(operation_id), file=self.files(operation_id).get("file")
        )


def _hold(calendar_id: str) -> None:
    """Leave a reading of the calendar waiting, as if the school had answered."""
    from planning.models import ReadingOutcome, SchoolCalendar

    SchoolCalendar.objects.filter(id=calendar_id).update(answer=ReadingOutcome.HELD)


def new_text() -> str:
    """A new syllabus text: uploading the same text again would be the same upload."""
    return f"Fall 2026\n\nThu, Dec 3: midterm exam\n\n{uuid4()}"


def new_address() -> str:
    """A new address of a school calendar: a member adds each only once."""
    return f"https://canvas.school.example/{uuid4()}.ics"


def bearer(secret: str) -> dict[str, str]:
    """The header that carries a credential."""
    return {"Authorization": f"Bearer {secret}"}


def error_of(response: Any) -> Any:
    """The error object of an answer, after checking that it is complete and has the headers of every answer."""
    check_headers(response)
    body = response.json()
    assert list(body) == ["error"]
    error = body["error"]
    expected = {"type", "message", "request_id"} | ({"details"} if error["type"] == "validation_failed" else set())
    assert set(error) == expected
    assert response.status_code == STATUS[error["type"]], body
    assert error["request_id"] == response.headers["X-Request-Id"]
    assert error["message"]
    for detail in error.get("details", []):
        assert set(detail) == {"field", "message"}
        assert detail["field"]
        assert detail["message"]
    return error


def fields_of(response: Any) -> list[str]:
    """The names in `details` of a 422."""
    error = error_of(response)
    assert error["type"] == "validation_failed", error
    return [detail["field"] for detail in error["details"]]


def check_headers(response: Any) -> None:
    """Check the required and forbidden headers of an answer under /v1 (spec, Conventions 5 and rule 4)."""
    assert _REQUEST_ID.fullmatch(response.headers["X-Request-Id"])
    for name in _RATE_HEADERS:
        assert response.headers[name].isdecimal(), name
    assert int(response.headers["RateLimit-Reset"]) >= 1
    assert "Set-Cookie" not in response.headers
    assert not response.cookies
    assert "cookie" not in response.headers.get("Vary", "").lower()
    if "Content-Disposition" in response.headers:
        assert response.headers["X-Content-Type-Options"] == "nosniff"
    elif response.content:
        assert response.headers["Content-Type"] == "application/json"


def rows() -> dict[str, list[Any]]:
    """Every stored row of the service by model, without times of use and refused calls."""
    found = {}
    with connection.cursor() as cursor:
        for name, query in _queries().items():
            cursor.execute(query)
            found[name] = sorted(cursor.fetchall(), key=repr)
    return found


@contextmanager
def unchanged() -> Iterator[None]:
    """Expect that no stored row changes."""
    before = rows()
    yield
    assert rows() == before


@cache
def _queries() -> dict[str, str]:
    """The queries that read each table of the service."""
    unread = {"last_used_at", "last_login", "networks", "refused_at", "refusal"}
    return {
        model._meta.label: str(
            model._base_manager.values_list(
                *(f.attname for f in model._meta.concrete_fields if f.name not in unread)
            ).query
        )
        for model in apps.get_models()
        if not model.__module__.startswith("django.") and not model._meta.proxy
    }

"""The measured operations and applications. To measure another operation, add a row."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import cycle
from zlib import crc32

import orjson

from tools.bench.cast import CARDS, Cast, Subject
from tools.bench.servers import THREADS

SERVICE = "this service"
FLOOR = "the floor"
IDIOMATIC = "idiomatic DRF"
WITH_REDIS = "this service, Redis"
FASTAPI = "FastAPI"


@dataclass(frozen=True, slots=True)
class Call:
    """One request. `Content-Length` and, if `authorized`, `Authorization` are added."""

    method: str
    path: str
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    authorized: bool = True

    def headers_for(self, subject: Subject) -> dict[str, str]:
        """Return all headers, like those of a small API client."""
        sent = {"Host": "127.0.0.1", "User-Agent": "bench/1", "Accept": "application/json"}
        if self.authorized:
            sent["Authorization"] = f"Bearer {subject.key}"
        if self.body:
            sent |= {"Content-Type": "application/json", "Content-Length": str(len(self.body))}
        return sent | self.headers

    def encode(self, subject: Subject) -> bytes:
        """Return the bytes of the request."""
        head = "".join(f"{name}: {value}\r\n" for name, value in self.headers_for(subject).items())
        return f"{self.method} {self.path} HTTP/1.1\r\n{head}\r\n".encode() + self.body


Calls = Callable[[Subject, int], Call]


@dataclass(frozen=True, slots=True)
class Row:
    """One measured operation.

    Attributes:
        call: returns the n-th request of a member.
        against: the row of this service to compare with, instead of the floor.
        volatile: fields that differ between answers, so that only their presence is compared.
        turns: number of different requests of each member.
        heavy: sent by the member with the most rows and many keys, instead of the others.
    """

    name: str
    what: str
    call: Calls
    contestants: tuple[str, ...] = (SERVICE, FLOOR, IDIOMATIC)
    against: str | None = None
    volatile: frozenset[str] = frozenset({"next_cursor"})
    turns: int = 1
    heavy: bool = False

    def subjects(self, cast: Cast) -> list[Subject]:
        """Return the members who send it."""
        return cast.heavy if self.heavy else cast.members

    def trial(self, contestant: str) -> int:
        """Return the turn for comparing answers, if possible a different one for each contestant."""
        return self.contestants.index(contestant) % self.turns

    def requests(self, cast: Cast) -> Iterator[bytes]:
        """Return requests of all members in rotation, so that none comes near its rate limit, as bytes."""
        calls = [(self.call(subject, turn), subject) for turn in range(self.turns) for subject in self.subjects(cast)]
        return cycle([call.encode(subject) for call, subject in calls])


_MCP = {"MCP-Protocol-Version": "2025-11-25"}
_CREATED = frozenset({"id", "created_at", "updated_at"})
_REVIEWED = frozenset({"id", "due_at", "last_reviewed_at"})
_ALONE = (SERVICE,)
_PRODUCTION = (SERVICE, WITH_REDIS, FLOOR, IDIOMATIC)
_ALL = (*_PRODUCTION, FASTAPI)


def _get(path: str) -> Calls:
    """Return GET requests of `path`, in which {} is the member's first course."""
    return lambda subject, _: Call("GET", path.format(*subject.courses[:1]))


def _rpc(method: str, params: object) -> Call:
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return Call("POST", "/mcp", orjson.dumps(message), _MCP)


def _tool(name: str) -> Calls:
    """Return tool calls without arguments."""
    return lambda _subject, _number: _rpc("tools/call", {"name": name, "arguments": {}})


def _new_item() -> dict[str, str]:
    """Return an item due in half a year, so that it does not change the answers of other rows."""
    due_on = (date.today() + timedelta(days=180)).isoformat()  # noqa: DTZ011  # any day far ahead
    return {"title": "Problem set 7", "kind": "assignment", "due_on": due_on}


def _create_item(subject: Subject, _number: int) -> Call:
    return Call("POST", f"/v1/courses/{subject.courses[1]}/items", orjson.dumps(_new_item()))


def _call_create_item(subject: Subject, _number: int) -> Call:
    return _rpc("tools/call", {"name": "create_item", "arguments": {"course_id": subject.courses[1], **_new_item()}})


def _list_tools(_subject: Subject, _number: int) -> Call:
    return _rpc("tools/list", {})


def _review_vocab_card(subject: Subject, number: int) -> Call:
    """Return a review. A member always gives the same rating."""
    rating = ("again", "hard", "good", "easy")[crc32(subject.courses[0].encode()) % 4]
    body = orjson.dumps({"rating": rating, "duration_ms": 4200})
    return Call("POST", f"/v1/vocab-cards/{subject.cards[number]}/reviews", body)


TOOLS_LIST = Row("mcp_tools_list", "tools/list over MCP, every tool with its schema", _list_tools, _ALONE)

ROWS = (
    Row("list_items", "GET /v1/items, 25 of 200 items", _get("/v1/items"), _ALL),
    Row("get_agenda", "GET /v1/agenda, 14 days: items and milestones", _get("/v1/agenda"), _PRODUCTION),
    Row(
        "get_grades",
        "GET /v1/courses/{id}/grades: 4 categories, 16 scores",
        _get("/v1/courses/{}/grades"),
        _PRODUCTION,
    ),
    Row("create_item", "POST /v1/courses/{id}/items", _create_item, _ALL, volatile=_CREATED),
    Row("mcp_list_items", "tools/call of list_items over MCP", _tool("list_items"), _ALONE, against="list_items"),
    Row("mcp_get_agenda", "tools/call of get_agenda over MCP", _tool("get_agenda"), _ALONE, against="get_agenda"),
    Row("mcp_create_item", "tools/call of create_item over MCP", _call_create_item, _ALONE, against="create_item"),
    TOOLS_LIST,
    Row(
        "review_vocab_card",
        "POST /v1/vocab-cards/{id}/reviews: FSRS, review log, attempt",
        _review_vocab_card,
        volatile=_REVIEWED,
        turns=CARDS,
    ),
    Row("list_vocab_decks", "GET /v1/vocab-decks, 100 decks of 500 cards", _get("/v1/vocab-decks"), _ALONE, heavy=True),
    Row(
        "get_practice_stats",
        "GET /v1/practice/stats?days=365, 50,000 attempts",
        _get("/v1/practice/stats?days=365"),
        _ALONE,
        heavy=True,
    ),
)

DISTANT = ("list_items", "get_agenda", "create_item", "review_vocab_card")
"""Names of the rows that are also measured with a distant PostgreSQL."""


_GUNICORN = ("gunicorn", "--log-level", "warning")
_SERVICE = (*_GUNICORN, "-c", "studyservice/gunicorn.py")
_PLAIN = (*_GUNICORN, "-k", "gthread", "-b", "127.0.0.1:{port}", "--threads", str(THREADS), "--keep-alive", "75")
_UVICORN = "uvicorn --host 127.0.0.1 --port {port} --timeout-keep-alive 75 --no-access-log --log-level warning"


@dataclass(frozen=True, slots=True)
class Contestant:
    """An application and its server. With `redis` it counts requests in Redis."""

    application: str
    server: tuple[str, ...] = _PLAIN
    variables: Mapping[str, str] = field(default_factory=dict)
    redis: bool = False

    @property
    def command(self) -> tuple[str, ...]:
        """The module that is run, and its arguments. `{port}` is replaced."""
        return (*self.server, self.application)


CONTESTANTS = {
    SERVICE: Contestant("studyservice.wsgi:application", _SERVICE),
    WITH_REDIS: Contestant("studyservice.wsgi:application", _SERVICE, redis=True),
    FLOOR: Contestant("tools.bench.floor:application"),
    IDIOMATIC: Contestant(
        "django.core.wsgi:get_wsgi_application()",
        variables={"DJANGO_SETTINGS_MODULE": "tools.bench.frameworks.settings"},
    ),
    FASTAPI: Contestant("tools.bench.frameworks.fastapi_app:application", tuple(_UVICORN.split())),
}

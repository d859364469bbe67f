"""What is measured: one row for each operation. To measure another, add a row.

A row that the floor and idiomatic DRF should answer too needs the operation in `bench/floor.py` and
`bench/idiomatic/views.py`; one for this service alone names itself so in `contestants`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import cycle

import orjson

from bench.cast import Subject

SERVICE = "this service"
FLOOR = "the floor"
IDIOMATIC = "idiomatic DRF"


@dataclass(frozen=True, slots=True)
class Call:
    """One request. `Authorization` and `Content-Length` are added."""

    method: str
    path: str
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)

    def headers_for(self, subject: Subject) -> dict[str, str]:
        """Every header, as a small client of the API would send them."""
        sent = {
            "Host": "127.0.0.1",
            "User-Agent": "bench/1",
            "Accept": "application/json",
            "Authorization": f"Bearer {subject.key}",
        }
        if self.body:
            sent |= {"Content-Type": "application/json", "Content-Length": str(len(self.body))}
        return sent | self.headers

    def encode(self, subject: Subject) -> bytes:
        """The request as it goes over the connection."""
        head = "".join(f"{name}: {value}\r\n" for name, value in self.headers_for(subject).items())
        return f"{self.method} {self.path} HTTP/1.1\r\n{head}\r\n".encode() + self.body


@dataclass(frozen=True, slots=True)
class Row:
    """One measured operation.

    Attributes:
        name: for `--rows`.
        what: what a request asks for.
        call: the n-th request of a member.
        contestants: who answers it.
        against: the row of this service that it is compared with, instead of with the floor.
        volatile: fields that differ from answer to answer, so that only their presence is compared.
        once: how many requests each member has, if each works only once; None means the same one again and again.
    """

    name: str
    what: str
    call: Callable[[Subject, int], Call]
    contestants: tuple[str, ...] = (SERVICE, FLOOR, IDIOMATIC)
    against: str | None = None
    volatile: frozenset[str] = frozenset({"next_cursor"})
    once: int | None = None

    def requests(self, cast: list[Subject]) -> Iterator[bytes]:
        """Prepared requests, one of each member after the other, so that none comes near its rate limit."""
        turns = 1 if self.once is None else self.once
        prepared = [self.call(subject, turn).encode(subject) for turn in range(turns) for subject in cast]
        return cycle(prepared) if self.once is None else iter(prepared)


def _list_items(_subject: Subject, _number: int) -> Call:
    return Call("GET", "/v1/items")


def _get_agenda(_subject: Subject, _number: int) -> Call:
    return Call("GET", "/v1/agenda")


def _get_grades(subject: Subject, _number: int) -> Call:
    return Call("GET", f"/v1/courses/{subject.courses[0]}/grades")


def _create_item(subject: Subject, _number: int) -> Call:
    """Due in half a year: what is created does not change what the other rows read."""
    due_on = (date.today() + timedelta(days=180)).isoformat()  # noqa: DTZ011  # any day far ahead
    body = orjson.dumps({"title": "Problem set 7", "kind": "assignment", "due_on": due_on})
    return Call("POST", f"/v1/courses/{subject.courses[1]}/items", body)


_MCP = {"MCP-Protocol-Version": "2025-11-25"}


def _rpc(method: str, params: object) -> Call:
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return Call("POST", "/mcp", orjson.dumps(message), _MCP)


def _call_list_items(_subject: Subject, _number: int) -> Call:
    return _rpc("tools/call", {"name": "list_items", "arguments": {}})


def _call_get_agenda(_subject: Subject, _number: int) -> Call:
    return _rpc("tools/call", {"name": "get_agenda", "arguments": {}})


def _call_create_item(subject: Subject, number: int) -> Call:
    """The same as `_create_item`."""
    arguments = {"course_id": str(subject.courses[1]), **orjson.loads(_create_item(subject, number).body)}
    return _rpc("tools/call", {"name": "create_item", "arguments": arguments})


def _list_tools(_subject: Subject, _number: int) -> Call:
    return _rpc("tools/list", {})


_CREATED = frozenset({"id", "created_at", "updated_at"})
_TOOLS = (SERVICE,)

ROWS = (
    Row("list_items", "GET /v1/items, 25 of 200 items", _list_items),
    Row("get_agenda", "GET /v1/agenda, 14 days: items and milestones", _get_agenda),
    Row("get_grades", "GET /v1/courses/{id}/grades: 4 categories, 16 scores", _get_grades),
    Row("create_item", "POST /v1/courses/{id}/items", _create_item, volatile=_CREATED),
    Row("mcp_list_items", "tools/call of list_items over MCP", _call_list_items, _TOOLS, against="list_items"),
    Row("mcp_get_agenda", "tools/call of get_agenda over MCP", _call_get_agenda, _TOOLS, against="get_agenda"),
    Row("mcp_create_item", "tools/call of create_item over MCP", _call_create_item, _TOOLS, against="create_item"),
    Row("mcp_tools_list", "tools/list over MCP, every tool with its schema", _list_tools, _TOOLS),
)

"""The floor: the same answers from one bare WSGI function, psycopg and hand-written queries.

It does only the work that every request needs: resolve the credential with its member in one query, check scope and
membership, fetch, write JSON. It lacks request ids, rate limits, logs, CORS, detailed errors, and handling of other
input.
"""

from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import parse_qsl
from uuid import UUID

import orjson

from tools.bench.floor.courses import get_grades, review_vocab_card
from tools.bench.floor.ground import Refused, caller_of
from tools.bench.floor.items import create_item, get_agenda, list_items


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
    method, path = environ["REQUEST_METHOD"], environ["PATH_INFO"].split("/")[1:]
    caller = caller_of(environ)
    match method, path:
        case "GET", ["v1", "items"]:
            return "200 OK", list_items(caller, _number(environ, "limit", 25, 100))
        case "GET", ["v1", "agenda"]:
            return "200 OK", get_agenda(caller, _number(environ, "days", 14, 120))
        case "GET", ["v1", "courses", course, "grades"]:
            return "200 OK", get_grades(caller, UUID(course))
        case "POST", ["v1", *writes]:
            if not caller.may_write:
                raise Refused("403 Forbidden")
            match writes:
                case ["courses", course, "items"]:
                    return "201 Created", create_item(caller, UUID(course), orjson.loads(_body(environ)))
                case ["vocab-cards", card, "reviews"]:
                    return "201 Created", review_vocab_card(caller, UUID(card), orjson.loads(_body(environ)))
    raise Refused("404 Not Found")


def _body(environ: dict[str, Any]) -> bytes:
    body: bytes = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
    return body


def _number(environ: dict[str, Any], name: str, default: int, most: int) -> int:
    query = environ["QUERY_STRING"]
    number = int(dict(parse_qsl(query)).get(name, default)) if query else default
    if not 1 <= number <= most:
        raise Refused("422 Unprocessable Content")
    return number

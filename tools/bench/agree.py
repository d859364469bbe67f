"""Check before measuring that all contestants give the same answers."""

from collections.abc import Mapping
from typing import Any

import httpx2
import orjson

from tools.bench.cast import Cast, Subject
from tools.bench.rows import FLOOR, SERVICE, WITH_REDIS, Row
from tools.bench.servers import Server

_SAMPLE = 20


class DisagreementError(Exception):
    """Two contestants answer a request differently, so their figures cannot be compared."""


def check(row: Row, servers: Mapping[str, Server], cast: Cast) -> None:
    """Send requests of `row` for a sample of members to every contestant.

    The floor's bodies must equal the service's. The other frameworks paginate differently: their bodies must contain
    the same objects.

    Raises:
        DisagreementError: an answer is not a success, or differs.
    """
    subjects = row.subjects(cast)
    for subject in subjects[:: max(1, len(subjects) // _SAMPLE)]:
        answers = {name: _answer(row, name, server, subject) for name, server in servers.items()}
        expected = answers.get(SERVICE)
        for name, answer in answers.items():
            same = name in (FLOOR, WITH_REDIS)
            seen = [_without(body, row.volatile) if same else _ids(body, row) for body in (answer, expected)]
            if expected is not None and seen[0] != seen[1]:
                raise DisagreementError(f"{row.name}: {name} answers\n{answer}\n{SERVICE} answers\n{expected}")


def answer_size(row: Row, server: Server, cast: Cast) -> int:
    """Return the length in bytes of the service's answer to a request of `row`."""
    return len(_response(row, SERVICE, server, row.subjects(cast)[0]).content)


def _response(row: Row, name: str, server: Server, subject: Subject) -> httpx2.Response:
    call = row.call(subject, row.trial(name))
    url, headers = f"http://127.0.0.1:{server.port}{call.path}", call.headers_for(subject)
    return httpx2.request(call.method, url, content=call.body or None, headers=headers, timeout=20, trust_env=False)


def _answer(row: Row, name: str, server: Server, subject: Subject) -> Any:
    call, response = row.call(subject, row.trial(name)), _response(row, name, server, subject)
    answer = orjson.loads(response.content) if response.is_success else None
    if answer is None or (call.path == "/mcp" and ("error" in answer or answer["result"].get("isError"))):
        raise DisagreementError(f"{row.name}: {name} answers {response.status_code} {response.content[:500]!r}")
    return answer


def _without(body: Any, volatile: frozenset[str]) -> Any:
    """Replace volatile fields by their presence."""
    if isinstance(body, dict):
        return {
            name: _without(value, volatile) if name not in volatile else value is not None
            for name, value in body.items()
        }
    if isinstance(body, list):
        return [_without(value, volatile) for value in body]
    return body


def _ids(body: Any, row: Row) -> list[str]:
    """Return the id of every object, in order. If ids are volatile, return a placeholder for each."""
    if isinstance(body, dict):
        own = ["one" if "id" in row.volatile else body["id"]] if "id" in body else []
        return own + [found for value in body.values() for found in _ids(value, row)]
    if isinstance(body, list):
        return [found for value in body for found in _ids(value, row)]
    return []

"""Before anything is measured: the contestants answer the same."""

from collections.abc import Sequence
from typing import Any

import httpx2
import orjson

from bench.cast import Cast, Subject
from bench.contestants import Server
from bench.rows import FLOOR, SERVICE, WITH_REDIS, Row

_SAMPLE = 20


class DisagreementError(Exception):
    """Two contestants answer a request differently, so their figures say nothing about each other."""


def check(row: Row, servers: Sequence[Server], cast: Cast) -> None:
    """Send requests of `row` for a sample of members to every contestant.

    The floor's bodies must equal the service's, field by field and in value. The other frameworks wrap their pages in
    their own way: their bodies must hold the same objects.

    Raises:
        DisagreementError: an answer is no success, or differs.
    """
    subjects = row.subjects(cast)
    for subject in subjects[:: max(1, len(subjects) // _SAMPLE)]:
        answers = {server.name: _answer(row, server, subject) for server in servers}
        expected = answers.get(SERVICE)
        for name, answer in answers.items():
            seen = (
                (lambda body: _without(body, row.volatile))
                if name in (FLOOR, WITH_REDIS)
                else (lambda body: _ids(body, row))
            )
            if expected is not None and seen(answer) != seen(expected):
                raise DisagreementError(f"{row.name}: {name} answers\n{answer}\n{SERVICE} answers\n{expected}")


def _answer(row: Row, server: Server, subject: Subject) -> Any:
    call = row.call(subject, row.trial(server.name))
    url, headers = f"http://127.0.0.1:{server.port}{call.path}", call.headers_for(subject)
    response = httpx2.request(call.method, url, content=call.body or None, headers=headers, timeout=20, trust_env=False)
    answer = orjson.loads(response.content) if response.is_success else None
    if answer is None or (call.path == "/mcp" and ("error" in answer or answer["result"].get("isError"))):
        raise DisagreementError(f"{row.name}: {server.name} answers {response.status_code} {response.content[:500]!r}")
    return answer


def _without(body: Any, volatile: frozenset[str]) -> Any:
    """`body` with only the presence of the volatile fields."""
    if isinstance(body, dict):
        return {
            name: (value is not None if name in volatile else _without(value, volatile)) for name, value in body.items()
        }
    if isinstance(body, list):
        return [_without(value, volatile) for value in body]
    return body


def _ids(body: Any, row: Row) -> list[str]:
    """Every object's id, in order; where ids are volatile, only how many there are."""
    if isinstance(body, dict):
        own = ["one" if "id" in row.volatile else body["id"]] if "id" in body else []
        return own + [found for value in body.values() for found in _ids(value, row)]
    if isinstance(body, list):
        return [found for value in body for found in _ids(value, row)]
    return []

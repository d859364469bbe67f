"""The text of a tool's answer: the record with its notes, limited in size, or a failure.

The limit is for an assistant's context window. A failure is written so that an assistant can act on it.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from django.conf import settings

from mcpbridge.schemas import sources_of
from mcpbridge.tools import OperationTool, tools
from studyservice.database.statements import Row
from studyservice.http.logs import current_request_id
from studyservice.operations.codec import encode
from studyservice.operations.errors import (
    MAX_DETAILS,
    ApiError,
    InsufficientScope,
    InvalidRequest,
    MembershipRequired,
    ValidationFailed,
)
from studyservice.rows.limits import GradesHidden, PartHidden

MAX_CHARACTERS = 100_000
"""Maximum characters of the structured content, as JSON text."""

_MOST_DOUBTS = 5

_BATCH = 100
"""Entries of a list that are encoded at a time before the length of the answer is known."""


class AnswerTooLong(InvalidRequest):
    """The answer of a reading tool exceeds the limit."""


def answer_text(tool: OperationTool, row: Row, notes: list[str]) -> tuple[str, list[str]]:
    """Return the structured content as JSON text, and its notes.

    The notes come first, because some clients cut the end of a long answer.

    A write is already done, so its answer is never refused: lists are omitted until the rest fits, nested ones first,
    and the first note names them. A read whose arguments cannot ask for less is treated likewise.

    Raises:
        AnswerTooLong: a read exceeds the limit and can ask for less.
    """
    left_out: Counter[str] = Counter()
    told = notes
    text = _text(_noted(row, told))
    if text is None and not tool.may_leave_out:
        raise AnswerTooLong(
            f"The answer would have over {MAX_CHARACTERS:,} characters. Ask for less: {' or '.join(tool.narrower)}."
        )
    lists = [] if text is not None else sorted(_lists(row), key=lambda found: (found[0], len(found[2])))
    while text is None and lists:
        name = lists[-1][1]
        left_out[name] = sum(len(entries) for _, other, entries in lists if other == name)
        lists = [found for found in lists if found[1] != name]
        row = _without(row, name)
        told = [_omission(left_out), *notes]
        text = _text(_noted(row, told))
    return encode(_noted(row, told)).decode() if text is None else text, told


def _noted(row: Row, notes: list[str]) -> Row:
    return {"notes": notes, **row} if notes else row


def _omission(left_out: Counter[str]) -> str:
    told = ", ".join(f"{name} ({count})" for name, count in left_out.items())
    return f"The whole answer would have over {MAX_CHARACTERS:,} characters, so it leaves out: {told}."


def doubtful(doubts: list[str]) -> str:
    """Return a warning about possible mistakes in a write."""
    more = len(doubts) - _MOST_DOUBTS
    told = [*doubts[:_MOST_DOUBTS], *([f"And {more} more."] if more > 0 else [])]
    return f"Done, but check with the member: {' '.join(told)}"


def _text(row: Row) -> str | None:
    """Return `row` as JSON text; None if it exceeds the limit.

    Long lists are first encoded in batches that are discarded, so that the text of a huge answer, of tens of megabytes,
    is never built.
    """
    characters = 0
    for _, _, entries in _lists(row):
        if len(entries) <= _BATCH:
            continue
        for start in range(0, len(entries), _BATCH):
            characters += len(encode(entries[start : start + _BATCH]).decode())
            if characters > MAX_CHARACTERS:
                return None
    text = encode(row).decode()
    return None if len(text) > MAX_CHARACTERS else text


def _lists(row: Row, depth: int = 0) -> Iterator[tuple[int, str, list[Any]]]:
    """Yield depth, name and entries of each list, ignoring the records of a long one."""
    for name, value in row.items():
        if isinstance(value, list):
            yield depth, name, value
            if len(value) <= _BATCH:
                for entry in value:
                    if isinstance(entry, dict) and list in map(type, entry.values()):  # most records contain no list
                        yield from _lists(entry, depth + 1)


def _without(row: Row, name: str) -> Row:
    """Return a copy without the lists of that name, at any depth."""
    return {key: _kept(value, name) for key, value in row.items() if not (key == name and isinstance(value, list))}


def _kept(value: Any, name: str) -> Any:
    if isinstance(value, list):
        return [_without(entry, name) if isinstance(entry, dict) else entry for entry in value]
    return value


_ADVICE: dict[type[ApiError], str] = {
    InsufficientScope: (
        "Tell the member: connect this app again and allow editing, or use an API key that may write. "
        "Tools that only read still work."
    ),
    GradesHidden: "Tell the member: they can change what this app or key sees with Change at {base}/keys.",
    PartHidden: "Tell the member. Do not try again.",
    MembershipRequired: "Tell the member. Do not try again before the membership is renewed; get_me works meanwhile.",
}


def failure_text(error: ApiError) -> str:
    """Return the error's type and message, each wrong field, the tools that list valid ids, and the request id."""
    lines = [f"{error.type}: {_message(error)}"]
    lines += [f"- {detail['field']}: {detail['message']}" for detail in error.details or []]
    lines += _sources(error)
    if "Retry-After" in error.headers:
        lines.append(f"Wait {error.headers['Retry-After']} s before you try again.")
    if type(error) in _ADVICE:
        lines.append(_ADVICE[type(error)].format(base=settings.BASE_URL))
    lines.append(f"Request id: {current_request_id()}")
    return "\n".join(lines)


def _message(error: ApiError) -> str:
    """Return the error's message, or other words if it refers to REST's `details`, which follow here as lines."""
    if not isinstance(error, ValidationFailed):
        return error.message
    return (
        f"Some arguments are not valid; the first {MAX_DETAILS}:" if error.is_cut else "Some arguments are not valid:"
    )


def _sources(error: ApiError) -> list[str]:
    """Name the tools that list valid ids, unless the message names a tool, as it does if the id is known."""
    found = []
    sources = sources_of(tools())
    for detail in error.details or []:
        source = sources.get(detail["field"])
        if source is not None and not any(name in detail["message"] for name in tools()):
            found.append(f"Call {source} for a valid {detail['field']}.")
    return found

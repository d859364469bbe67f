"""Undeclared arguments of a tool: misspelled ones are refused, others that clients add are ignored.

REST ignores unknown fields, for old clients of new servers. But if an assistant wrote `due_date` for `due_on`, it would
get a success that lost the date.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any

from mcp.types import Tool

from studyservice.operations.errors import Detail

_SYNONYMS = {
    "type": {"kind"},
    "category": {"category_id", "kind"},
    "state": {"status"},
    "date": {"due_on", "from"},
    "deadline": {"due_on"},
    "due": {"due_on"},
    "time": {"due_time"},
    "at": {"due_time"},
    "since": {"from"},
    "start": {"from"},
    "before": {"to"},
    "until": {"to"},
    "end": {"to"},
    "search": {"q"},
    "query": {"q"},
    "page": {"cursor"},
    "count": {"limit"},
    "max": {"limit", "out_of"},
    "total": {"out_of"},
    "possible": {"out_of"},
    "earned": {"points"},
    "front": {"term"},
    "back": {"definition"},
    "grade": {"score"},
    "percent": {"score"},
    "id": {"card_id"},
}
"""A word that callers use to the declared names it may mean."""

_MOST_NAMES = 20
"""Maximum number of unknown names that are compared. A message can have a hundred thousand."""

_MOST_LETTERS = 64
"""The longest unknown name that is compared. A longer one is not a typing error."""

_LEAST_LETTERS = 3
"""Minimum length of a common run of two names. Shorter ones are coincidence."""

_WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+")


@dataclass(slots=True)
class Unknown:
    """The arguments of a call that its tool does not declare.

    Attributes:
        misnamed: those that probably mean a declared one that was not given.
        ignored: the names of all others.
        taken: the arguments of a reading tool, where an ignored one may have been meant to narrow the answer.
    """

    misnamed: list[Detail] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    taken: Sequence[str] = ()

    def note(self) -> str:
        """Describe what was ignored."""
        note = f"Ignored, as this tool has no such arguments: {', '.join(self.ignored)}."
        return f"{note} It takes {', '.join(self.taken)}." if self.taken else note


def unknown_arguments(tool: Tool, given: Mapping[str, Any], fetching: Tool | None = None) -> Unknown:
    """Return the arguments that the tool does not declare, at the top level and in the entries of lists.

    Fields of the tool's answer are not misspellings: an assistant may send back a record that it read. In entries they
    are not even reported.

    Args:
        fetching: the tool that reads an object which this one changes, and may return more fields.
    """
    reads = tool.annotations is not None and tool.annotations.read_only_hint
    found = Unknown(taken=list(tool.input_schema["properties"]) if reads else ())
    at_home = _answered(tool) | (_answered(fetching) if fetching else set())
    for count, (where, label, name, free) in enumerate(_unknown(tool, given, at_home), start=1):
        if count > _MOST_NAMES:
            found.ignored.append("and others")
            break
        meant = _suggestion(name, free)
        told_name = told(name)
        if meant is None:
            found.ignored.append(label + told_name)
        else:
            message = f"Unknown argument {told_name}; did you mean {meant}?"
            found.misnamed.append({"field": where + told_name, "message": message})
    return found


def _answered(tool: Tool) -> set[str]:
    """Return the fields of the tool's answer."""
    return set((tool.output_schema or {}).get("properties", {}))


def _unknown(tool: Tool, given: Mapping[str, Any], at_home: set[str]) -> Iterator[tuple[str, str, str, list[str]]]:
    """Yield each unknown name once: its path, its path without an index, the name, and the declared names not given."""
    declared = tool.input_schema["properties"]
    answer = tool.output_schema or {}
    for name in given:
        if name not in declared:
            yield "", "", name, [other for other in declared if other not in given and name not in at_home]
    for list_name, schema in declared.items():
        entries = given.get(list_name)
        listed = _list_in(schema)
        if not isinstance(entries, list) or "properties" not in listed.get("items", {}):
            continue
        if len(entries) > listed.get("maxItems", len(entries)):
            continue  # refused as a whole, before its entries are read
        fields = listed["items"]["properties"]
        answered = answer.get("properties", {}).get(list_name, {}).get("items", answer)
        seen = {*fields, *answered.get("properties", {})}
        if f"{list_name.removesuffix('s')}_id" in fields:
            seen.discard("id")  # it means that argument
        for index, entry in enumerate(entries):
            if not isinstance(entry, dict):
                continue
            for name in entry.keys() - seen:
                seen.add(name)
                free = [other for other in fields if other not in entry]
                yield f"{list_name}[{index}].", f"{list_name}[].", name, free


def _list_in(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return `schema`, or the list branch of a nullable list."""
    return next((branch for branch in schema.get("anyOf", ()) if branch.get("type") == "array"), schema)


def _suggestion(name: str, free: list[str]) -> str | None:
    """Return the unused declared names that `name` may mean: all synonyms, or else the first similar one.

    Similar names share a word or more than half of their letters.
    """
    if len(name) > _MOST_LETTERS:
        return None
    words = {name, *_words(name)}
    synonyms = {declared for word in words for declared in _SYNONYMS.get(word, ())}
    meant = [declared for declared in free if declared in synonyms]
    near = (one for one in free if not words.isdisjoint(_words(one)) or _has_most_letters(name, one))
    return " or ".join(sorted(meant)) or next(near, None)


def _words(name: str) -> list[str]:
    """Split a name in either spelling into words, without those that several names have and that say nothing alone."""
    return [word.lower() for word in _WORD.findall(name) if word.lower() not in {"id", "due"}]


def _has_most_letters(name: str, declared: str) -> bool:
    """Return whether a common run of at least three letters is more than half of the longer name."""
    one, other = "".join(_words(name)), "".join(_words(declared))
    run = SequenceMatcher(None, one, other, autojunk=False).find_longest_match()
    return run.size >= _LEAST_LETTERS and max(len(one), len(other)) < 2 * run.size


def told(name: str) -> str:
    """Return a name from a client, as printable text of limited length."""
    return name[:_MOST_LETTERS].encode("utf-8", "backslashreplace").decode()

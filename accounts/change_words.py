"""Changes in words: a sentence for the member, a line for each field for the operators."""

import json
from collections.abc import Callable, Mapping
from datetime import date
from typing import cast

from accounts.change_contents import Json, as_words, plural_of
from accounts.changes import ActorKind
from accounts.serializers import ActorRow, ChangeRow

_Told = Mapping[str, Json]


def actor_in_words(by: ActorRow | None) -> str:
    """Who made a change: an app by its name."""
    if by is None:
        return "Somebody"
    name = by["name"] or ""
    return {
        ActorKind.KEY.value: f"The key “{name}”",
        ActorKind.APP.value: name,
        ActorKind.PAGE.value: "You, on this site",
        ActorKind.OPERATOR.value: "An operator",
        ActorKind.COMMAND.value: "A command of the operators",
    }.get(by["kind"], name)


def change_in_words(change: ChangeRow) -> str:
    """What was done, after the name of who did it: `moved “Midterm” from 12 to 14 October`."""
    kind, name = as_words(change["object"]["type"]), f"“{change['object']['name']}”"
    before, after = cast("_Told | None", change["before"]), cast("_Told | None", change["after"])
    if change["operation"] in _OPERATIONS:
        return _OPERATIONS[change["operation"]](f"{kind} {name}", after or {})
    if before is None and after is None:
        return f"looked at {change['object']['name'] if kind == 'member' else f'the {kind} {name}'}"
    if before is None:
        return f"made the {kind} {name}{_with(after or {})}"
    if after is None:
        return f"deleted the {kind} {name}{_with(before)}"
    if "rating" in after:
        return f"answered the card {name} with “{after['rating']}”"
    # What is told of one side alone is a count of what went with the change.
    fields = [field for field in before if field in after]
    return " and ".join(_field_in_words(field, kind, name, before[field], after[field]) for field in fields)


_OPERATIONS: dict[str, Callable[[str, _Told], str]] = {
    "undo_change": lambda of, after: f"took back a change of the {of}",
    "import_data": lambda of, after: f"took an archive in{_with(after)}",
}


def _field_in_words(field: str, kind: str, name: str, before: Json, after: Json) -> str:
    words = _FIELDS.get(field)
    if words is not None:
        return words(name, before, after)
    told = f"the {as_words(field)} of the {kind} {name}"
    if isinstance(before, str | None) and isinstance(after, str | None) and len(f"{before}{after}") < _SHORT:
        return f"changed {told} from {_value(before)} to {_value(after)}"
    return f"changed {told}"


_SHORT = 120
"""Characters of both values up to which a sentence has them."""


def _renamed(name: str, before: Json, after: Json) -> str:
    return f"renamed “{before}” to “{after}”"


def _moved(name: str, before: Json, after: Json) -> str:
    if not isinstance(before, str):
        return f"gave {name} the date {_day(after)}"
    if not isinstance(after, str):
        return f"took the date {_day(before)} from {name}"
    old, new = date.fromisoformat(before), date.fromisoformat(after)
    first = f"{old.day}" if (old.year, old.month) == (new.year, new.month) else _day(before)
    return f"moved {name} from {first} to {_day(after)}"


def _ticked(name: str, before: Json, after: Json) -> str:
    return f"ticked off {name}" if after else f"set {name} to be done again"


def _replaced(name: str, before: Json, after: Json) -> str:
    return f"replaced the grade categories of {name}"


_FIELDS: dict[str, Callable[[str, Json, Json], str]] = {
    "name": _renamed,
    "title": _renamed,
    "due_on": _moved,
    "done": _ticked,
    "categories": _replaced,
}


def _day(value: Json) -> str:
    """`14 October`, with the year if it is another than this one."""
    day = date.fromisoformat(str(value))
    return f"{day.day} {day:%B}" if day.year == date.today().year else f"{day.day} {day:%B %Y}"  # noqa: DTZ011  # words


def _value(value: Json) -> str:
    return "nothing" if value is None else f"“{value}”"


def _with(fields: _Told) -> str:
    """The counts of what is below: ` with 3 milestones and 1 grade score`."""
    told = counts_in_words(fields)
    return f" with {told}" if told else ""


def counts_in_words(fields: _Told) -> str:
    """`3 milestones and 1 grade score`; empty if there is none of anything."""
    counts = [(name, value) for name, value in fields.items() if type(value) is int and name.endswith("s")]
    return " and ".join(
        f"{value} {as_words(name if value != 1 else _singular(name))}" for name, value in counts if value
    )


def _singular(plural: str) -> str:
    singular = f"{plural[:-3]}y" if plural.endswith("ies") else plural[:-1]
    return singular if plural_of(singular) == plural else plural


def fields_in_words(before: _Told | None, after: _Told | None) -> list[str]:
    """A line for each field: `due_on: from 2026-12-03 to 2026-12-05`."""
    lines = []
    for field in {**(before or {}), **(after or {})}:
        if before is None:
            lines.append(f"{field}: {_word(after, field)}")
        elif after is None:
            lines.append(f"{field}: was {_word(before, field)}")
        else:
            lines.append(f"{field}: from {_word(before, field)} to {_word(after, field)}")
    return lines


def _word(fields: _Told | None, field: str) -> str:
    value = (fields or {}).get(field)
    if value is None:
        return "nothing"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

"""Describe changes: a sentence for the member, a line per field for operators."""

import json
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from typing import cast

from studyservice.changes.contents import ActorRow, ChangeRow, Fields, Json, as_words, plural_of
from studyservice.models import ActorKind
from studyservice.templatetags.site import number

_Told = Mapping[str, Json]


def actor_in_words(by: ActorRow | None) -> str:
    """Name the actor of a change."""
    if by is None:
        return "Somebody"
    name = by["name"] or ""
    return {
        ActorKind.KEY.value: f"The key “{name}”",
        ActorKind.APP.value: name,
        ActorKind.PAGE.value: "You",
        ActorKind.OPERATOR.value: "An operator",
        ActorKind.COMMAND.value: "An operator's command",
        ActorKind.CALENDAR.value: f"Your school calendar at {name}",
    }.get(by["kind"], name)


def change_in_words(change: ChangeRow) -> str:
    """Describe the change, to follow its actor: `moved “Midterm” from 12 to 14 October`."""
    type_, name = change["object"]["type"], f"“{change['object']['name']}”"
    kind = as_words(type_)
    before, after = cast("_Told | None", change["before"]), cast("_Told | None", change["after"])
    if change["operation"] in _OPERATIONS:
        return _OPERATIONS[change["operation"]](f"{kind} {name}", after or {})
    if before is None and after is None:
        return f"looked at {change['object']['name'] if type_ == 'member' else f'the {kind} {name}'}"
    (old, gone), (new, come) = _split(before), _split(after)
    if after is None:
        return f"deleted the {kind} {name}{_with(gone, type_)}"
    if before is None or (new and not old):
        made = {plural: number - gone.get(plural, 0) for plural, number in come.items()}
        return _listed([f"added the {kind} {name}{_with(made, type_)}", *_others(gone, gone)])
    if "rating" in new:
        return f"recorded “{new['rating']}” for {name}"
    told = [
        _field_in_words(field, kind, name, old[field], new[field], is_first=place == 0)
        for place, field in enumerate(field for field in old if field in new)
    ]
    others = _others(gone, come, same=plural_of(type_) if told else "")
    if not told and others:
        others[0] = f"{others[0]} in the {kind} {name}"
    return _listed([*told, *others])


_OPERATIONS: dict[str, Callable[[str, _Told], str]] = {
    "undo_change": lambda of, after: f"undid a change to the {of}",
    "apply_calendar": lambda of, after: f"imported a calendar file into the {of}",
    "read_school_calendar": lambda of, after: f"read a school calendar into the {of}",
    "apply_syllabus": lambda of, after: f"updated the syllabus of the {of}",
    "import_data": lambda of, after: " with ".join(filter(None, ["imported an archive", counts_in_words(after)])),
}


def _split(told: _Told | None) -> tuple[_Told, dict[str, int]]:
    """Split into the fields and the counts of other objects."""
    fields = told or {}
    counts = {name: value for name, value in fields.items() if type(value) is int and _singular(name) != name}
    return {name: value for name, value in fields.items() if name not in counts}, counts


def _others(gone: Mapping[str, int], come: Mapping[str, int], *, same: str = "") -> list[str]:
    """Describe the changes of other objects. Those on both sides were updated.

    Args:
        same: the plural of the described object, if it was updated too.
    """
    told = []
    for plural in {**gone, **come}:
        old, new = gone.get(plural, 0), come.get(plural, 0)
        numbers = {"changed": min(old, new), "added": new - old, "deleted": old - new}
        told += [
            f"{verb} {_number(number, plural, more=verb == 'changed' and plural == same)}"
            for verb, number in numbers.items()
            if number > 0
        ]
    return told


def _field_in_words(field: str, kind: str, name: str, before: Json, after: Json, *, is_first: bool) -> str:
    """Describe the change of a field. The first one names the object."""
    words = _FIELDS.get(field)
    if words is not None:
        return words(name if is_first else "it", before, after)
    label = _LABELS.get(field, as_words(field))
    told = f"the {label} of the {kind} {name}" if is_first else f"its {label}"
    short = isinstance(before, _SHOWN) and isinstance(after, _SHOWN) and len(f"{before}{after}") < _SHORT
    return f"changed {told} from {_value(before)} to {_value(after)}" if short else f"changed {told}"


_UNSEEN = "imported_events"
"""What a calendar file had: the member sees only the items made from it."""

_SHORT = 120
"""A sentence includes both values if they have fewer characters together."""

_SHOWN = str | int | float | None

_LABELS = {"meets": "meeting times", "out_of": "total points"}
"""Words for fields whose names are not words."""


def _renamed(name: str, before: Json, after: Json) -> str:
    return f"renamed {'it' if name == 'it' else _value(before)} to {_value(after)}"


def _moved(name: str, before: Json, after: Json) -> str:
    if not isinstance(before, str):
        return f"set {'its date' if name == 'it' else f'the date of {name}'} to {_day(after)}"
    if not isinstance(after, str):
        return f"removed the date {_day(before)} from {name}"
    old, new = date.fromisoformat(before), date.fromisoformat(after)
    first = f"{old.day}" if (old.year, old.month) == (new.year, new.month) else _day(before)
    return f"moved {name} from {first} to {_day(after)}"


def _timed(name: str, before: Json, after: Json) -> str:
    time = "its time" if name == "it" else f"the time of {name}"
    if after is None:
        return f"removed {time}"
    return f"set {time} to {after}" if before is None else f"changed {time} from {before} to {after}"


def _placed(name: str, before: Json, after: Json) -> str:
    return f"moved {name} from place {before} to place {after}"


def _ticked(name: str, before: Json, after: Json) -> str:
    return f"ticked off {name}" if after else f"marked {name} as not done"


def _switched(on: str, off: str) -> Callable[[str, Json, Json], str]:
    """Return a function that describes the change of a boolean by one of two verbs."""
    return lambda name, _, after: f"{on if after else off} {name}"


def _replaced(name: str, before: Json, after: Json) -> str:
    return f"replaced the grade categories of {name}"


def _referred(noun: str, moved: str = "moved", removed: str = "removed") -> Callable[[str, Json, Json], str]:
    """Return a function that describes the change of a reference to a `noun`."""

    def words(name: str, before: Json, after: Json) -> str:
        if after is None:
            return f"{removed} {name} from its {noun}"
        article = "another" if before is not None else "an" if noun[0] in "aeiou" else "a"
        return f"{moved} {name} to {article} {noun}"

    return words


def _noted(name: str, before: Json, after: Json) -> str:
    did = "added" if before is None else "deleted" if after is None else "changed"
    return f"{did} the note of {name}" if name != "it" else f"{did} its note"


_FIELDS: dict[str, Callable[[str, Json, Json], str]] = {
    "name": _renamed,
    "title": _renamed,
    "due_on": _moved,
    "due_time": _timed,
    "done": _ticked,
    "archived": _switched("ended", "reopened"),
    "paused": _switched("paused", "resumed"),
    "suspended": _switched("suspended", "resumed"),
    "place": _placed,
    "categories": _replaced,
    "course_id": _referred("course"),
    "category_id": _referred("category"),
    "item_id": _referred("item", "linked", "unlinked"),
    "note": _noted,
}


def _day(value: Json) -> str:
    """Return `14 October`, with the year unless it is this one."""
    day = date.fromisoformat(str(value))
    return f"{day.day} {day:%B}" if day.year == date.today().year else f"{day.day} {day:%B %Y}"  # noqa: DTZ011  # words


def _value(value: Json) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return number(value) if isinstance(value, int | float) else f"“{value}”"


def _with(counts: Mapping[str, int], type_: str) -> str:
    """Describe the dependents of an object: ` and 2 more items`, ` with 3 milestones and 1 grade score`."""
    same = plural_of(type_)
    more = counts.get(same, 0)
    told = f" and {more} more {as_words(same if more != 1 else type_)}" if more else ""
    below = counts_in_words({plural: number for plural, number in counts.items() if plural not in {same, _UNSEEN}})
    return f"{told} with {below}" if below else told


def counts_in_words(fields: Fields) -> str:
    """Return counts like `3 milestones and 1 grade score`; empty without any."""
    numbers = {name: value for name, value in fields.items() if isinstance(value, int)}
    return _listed([_number(number, plural) for plural, number in _split(numbers)[1].items() if number])


def listed(names: Iterable[str]) -> str:
    """Return names like `“a”, “b” and “c”`."""
    return _listed([f"“{name}”" for name in names])


def _number(number: int, plural: str, *, more: bool = False) -> str:
    return f"{number} {'more ' if more else ''}{as_words(plural if number != 1 else _singular(plural))}"


def _listed(told: list[str]) -> str:
    """Return a list like `a, b and c`."""
    return " and ".join(part for part in (", ".join(told[:-1]), *told[-1:]) if part)


def _singular(plural: str) -> str:
    """Return the singular of a word. A word that is not a plural stays as it is."""
    singular = f"{plural[:-3]}y" if plural.endswith("ies") else plural[:-1]
    return singular if plural_of(singular) == plural else plural


def fields_in_words(before: _Told | None, after: _Told | None) -> list[str]:
    """Return a line for each field: `due_on: from 2026-12-03 to 2026-12-05`."""
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

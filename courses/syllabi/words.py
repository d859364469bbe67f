"""The words of syllabi in several languages: months, weekdays, kinds of work, and what shows that it is due."""

import re
import tomllib
from pathlib import Path
from typing import Any, Final

VOCABULARY: Final[dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("vocabulary.toml").read_text(encoding="utf-8")
)
"""The tables of the file."""


def any_word(meaning: str) -> str:
    """Alternatives of a pattern for the words with a meaning."""
    return "|".join(VOCABULARY[meaning])


def whole_word(meaning: str) -> re.Pattern[str]:
    """A pattern for one of the words with a meaning, in small or capital letters."""
    return re.compile(rf"\b(?:{any_word(meaning)})\b", re.IGNORECASE)


MONTHS: Final = {name: number for number, names in enumerate(VOCABULARY["months"], 1) for name in names}
"""Month (1-12) by lower-case name."""

WEEKDAYS: Final = {name: number for number, names in enumerate(VOCABULARY["weekdays"]) for name in names}
"""Weekday (Monday is 0, as in `date.weekday`) by lower-case name."""

WEEKDAYS_BEFORE_DATES: Final = WEEKDAYS | {
    name: number for number, names in enumerate(VOCABULARY["short_weekdays"]) for name in names
}
"""The same with ambiguous words, which are weekdays only directly before a date."""


def one_of(names: dict[str, int]) -> str:
    """A pattern for one of the names, preferring longer ones."""
    return "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))


RECURRING: Final = re.compile(
    r"\b(?:mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|weekly|bi-?weekly|fortnightly"
    r"|jeweils|wöchentlich|(?:mon|diens|donners|frei|sams|sonn)tags|mittwochs|hebdomadaires?|semanal(?:es)?"
    r"|(?:every|each|jede[nrs]?|chaque|tous les|cada|todos los)\s(?:other\s|second\s|zweiten?\s)?"
    rf"(?:{one_of(WEEKDAYS)}|week|class|lecture|session|lab|woche|semaine|semana|lundis|mardis|mercredis|jeudis"
    rf"|vendredis)|(?:a|per|pro|par|por)\s(?:week|woche|semaine|semana))\b",
    re.IGNORECASE,
)
"""Words for recurring deadlines."""

RELATIVE: Final = re.compile(
    r"\b(?:weeks?|woche|kw|semaine|semana)\s*#?\d{1,2}\b|\b(?:days?|weeks?|hours?|tage?n?|wochen?|jours?|semaines?"
    r"|días?|semanas?)\s+(?:after|before|later|following|prior|nach|vor|après|avant|después|antes)\b|\b(?:following"
    r"|next|nächsten?|prochaine?|próxim[oa])\s+(?:week|class|day|woche|semaine|semana|clase)\b",
    re.IGNORECASE,
)
"""Dates relative to another: "week 5", "one week after the lab"."""

_PLURALS: Final = {
    f"{name}s": day for name, day in WEEKDAYS.items() if name.endswith(("day", "tag", "mittwoch", "di", "dimanche"))
}
NAMED_WEEKDAYS: Final = WEEKDAYS | _PLURALS
"""Weekday (Monday is 0) by lower-case name, including plurals."""

_ANY_WEEKDAY: Final = re.compile(rf"\b({one_of(NAMED_WEEKDAYS)})\b", re.IGNORECASE)


def weekdays_in(text: str) -> set[int]:
    """The weekdays in a text, including plurals. Short names need a capital letter ("Mon", "Sat")."""
    found = (name for name in _ANY_WEEKDAY.findall(text) if len(name) > 4 or name[0].isupper())
    return {NAMED_WEEKDAYS[name.lower()] for name in found}


_WORDS: Final = [(one["kind"], "|".join(one["words"])) for one in VOCABULARY["kinds"]]
"""By precedence: a project report is a project, a lab report a lab, the draft of an assignment an assignment."""

_KINDS: Final = [(kind, re.compile(rf"\b(?:{words})(?=\b|\d)", re.IGNORECASE)) for kind, words in _WORDS]

_ENDS: Final = r"(?=\b|(?<=[a-z])\d)"
NOUN: Final = re.compile(rf"\b(?:{'|'.join(words for _, words in _WORDS)}){_ENDS}", re.IGNORECASE)
"""A noun for something to hand in or an exam to take."""

SAT: Final = re.compile(rf"\b(?:{'|'.join(words for _, words in _WORDS[:2])}){_ENDS}", re.IGNORECASE)
"""Kinds that take place at a fixed time. An adjacent date is sufficient evidence."""

STRONG: Final = re.compile(
    rf"\b(?:{'|'.join(words for kind, words in _WORDS[:6] if kind != 'lab')}|lab reports?){_ENDS}", re.IGNORECASE
)
"""Unambiguous words."""

OTHER: Final = "other"


def kind_of(title: str, otherwise: str = OTHER) -> str:
    """The kind (a value of `ItemKind`) named in the title, or `otherwise`."""
    return next((kind for kind, words in _KINDS if words.search(title)), otherwise)


DUE: Final = whole_word("due")
"""Words for handing something in."""

DUE_LABEL: Final = re.compile(
    r"\W*(?:(?:due|submission) )?(?:due|deadline|date|abgabe(?:termin)?|termin|échéance|remise|date limite|entrega"
    r"|fecha(?: límite| de entrega)?)(?: (?:date|on|by))?\s?:",
    re.IGNORECASE,
)
"""The label of a line with a due date: "Due: October 8"."""

BY: Final = re.compile(
    r"\b(?:by|no later than|bis(?: zum)?|avant le|antes del)\s(?:\d{1,2}(?::\d\d)?\s?(?:[ap]\.?m\.?)?,?\s(?:on\s)?)?"
    rf"(?:$|(?:{one_of(WEEKDAYS)})\b)",
    re.IGNORECASE,
)
"""Words directly before a deadline."""

OPEN: Final = re.compile(rf"(?<!location )(?<!room )(?<!place )\b(?:{any_word('open')})(?!\w)", re.IGNORECASE)
"""Words for an open date."""

NO_ITEM: Final = whole_word("no_item")
"""Calendar entries that are not items: days off, deadlines of the registrar."""

REGISTRAR: Final = whole_word("registrar")
"""Sections with deadlines that are not items."""

UNGRADED: Final = re.compile(r"\b(?:not |un)graded\b", re.IGNORECASE)
"""Words for work without a grade, which is rarely an item."""

SAYS: Final = whole_word("says")
"""A verb: the text is a sentence, not a title."""

PAST: Final = whole_word("past")
"""References to an earlier course."""

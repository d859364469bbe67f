"""Names of months and weekdays in seven languages, and words that precede or join dates."""

import re
from typing import Final

from courses.syllabi.vocabulary import VOCABULARY

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

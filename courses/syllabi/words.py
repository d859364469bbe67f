"""Names of months and weekdays in seven languages, and words that precede or join dates."""

import re
from typing import Final

_MONTHS: Final = (
    "january jan januar jän jänner janvier janv enero ene janeiro gennaio januari",
    "february feb februar février fevrier févr fevr fév febrero fevereiro febbraio februari",
    "march mar märz maerz mär mrz mars marzo março maart",
    "april apr avril avr abril abr aprile",
    "may mai mayo maio maggio mei",
    "june jun juni juin junio junho giugno",
    "july jul juli juillet juil julio julho luglio",
    "august aug août aout agosto ago augustus",
    "september sept sep septembre septiembre setiembre setembro settembre",
    "october oct oktober okt octobre octubre outubro ottobre",
    "november nov novembre noviembre novembro",
    "december dec dezember dez décembre decembre déc diciembre dic dezembro dicembre",
)
_WEEKDAYS: Final = (
    "monday mon montag lundi lun lunes lunedì maandag",
    "tuesday tues tue dienstag mardi martes martedì dinsdag",
    "wednesday weds wed mittwoch mercredi miércoles miercoles mié mercoledì woensdag",
    "thursday thurs thur thu donnerstag jeudi jueves jue giovedì donderdag",
    "friday fri freitag vendredi viernes vie venerdì vrijdag",
    "saturday sat samstag sonnabend samedi sábado sabado sabato zaterdag",
    "sunday sun sonntag dimanche domingo domenica zondag",
)
_SHORT_WEEKDAYS: Final = ("mo", "di", "mi mer", "do jeu", "fr ven", "sa sam", "so dim")
"""Ambiguous words: weekdays only directly before a date."""

MONTHS: Final = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()}
"""Month (1-12) by lower-case name."""

WEEKDAYS: Final = {name: number for number, names in enumerate(_WEEKDAYS) for name in names.split()}
"""Weekday (Monday is 0, as in `date.weekday`) by lower-case name."""

WEEKDAYS_BEFORE_DATES: Final = WEEKDAYS | {
    name: number for number, names in enumerate(_SHORT_WEEKDAYS) for name in names.split()
}


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

"""Times of day as written in a text. An ambiguous one is not read: "at 5:00" may be in the morning."""

import re
from typing import Final

_HALF: Final = r"[ap]\.?\s?m\b\.?(?!\s(?:(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|\d{1,2}\.))"
"""Not the German "am", as in "Übung 5 am Montag"."""

_TIME: Final = re.compile(
    r"(?:(?P<at>\bà\s)|(?P<class>\bin\sclass[,:]?\s(?:at\s)?))?(?<![\w.:/$€£#])(?P<hour>\d{1,2})(?:(?P<mark>[:.h])(?P<minute>\d\d)(?::\d\d)?)?(?!\d)"
    rf"\s?(?P<half>{_HALF})?"
    rf"(?:\s?(?:[-–—]|to|until|bis|à|a)\s?(?P<end_hour>\d{{1,2}})(?:[:.h](?P<end_minute>\d\d))?(?!\d)"
    rf"\s?(?P<end_half>{_HALF})?)?"
    r"(?:\s?(?P<unit>uhr|h)\b)?|\b(?P<noon>noon)\b",
    re.IGNORECASE,
)
_MORNINGS: Final = 12
_LONGEST_CLASS: Final = 4 * 60
"""Minutes. What takes longer is no range of times of a class or an exam."""


def time_in(text: str) -> str | None:
    """The first time of a text as `HH:MM`: that of "11:59 pm", "17:00", "5 p.m.", "9:00-10:50 am", "17 Uhr" or "noon".

    The half of the day after the end of a range holds for a start before it: "11:00-1:00 pm" begins in the morning.
    Without one, a range and what is in class are in the daytime: "9:00-11:00", "in class 1:30".
    """
    return next((time for found in _TIME.finditer(text) if (time := _time_of(found)) is not None), None)


def _time_of(found: re.Match[str]) -> str | None:
    """The time; None for other numbers, and for a time whose half of the day is not written."""
    if found["noon"]:
        return "12:00"
    start = _minutes(found["hour"], found["minute"], found["half"])
    end = _minutes(found["end_hour"], found["end_minute"], found["end_half"]) if found["end_hour"] else None
    if found["half"] is None and found["end_half"] is not None:
        halves = ("pm", "am") if found["end_half"][0] in "pP" else ("am", "pm")
        starts = [_minutes(found["hour"], found["minute"], half) for half in halves]
        start = next((one for one in starts if one is not None and end is not None and one < end), starts[0])
    elif found["half"] is None and not _is_of_24_hours(found, end):
        start = _in_daytime(found, start, end)
    return None if start is None else f"{start // 60:02}:{start % 60:02}"


def _is_of_24_hours(found: re.Match[str], end: int | None) -> bool:
    """Return whether a time without a half of the day is unambiguous: "17:00", "09:30", "10:15-13:45", "9 Uhr", "9h30",
    "à 9 h". "9 h" alone may be a duration.
    """
    if (found["unit"] or "").lower() == "uhr" or found["mark"] in {"h", "H"} or (found["unit"] and found["at"]):
        return True
    if found["mark"] != ":":
        return False
    return found["hour"][0] == "0" or int(found["hour"]) > _MORNINGS or (end is not None and end > _MORNINGS * 60 + 59)


def _in_daytime(found: re.Match[str], start: int | None, end: int | None) -> int | None:
    """The start of a class or an exam without a half of the day: from 8 to 12 as written, from 1 to 5 in the afternoon.
    6 and 7 may be either. Minutes that no timetable has are verses or ratios.
    """
    if start is None or found["mark"] != ":" or start % 5:
        return None
    if found["end_minute"]:
        if end is None or end % 5 or not 0 < (end - start) % (_MORNINGS * 60) <= _LONGEST_CLASS:
            return None
    elif not found["class"]:
        return None
    if 1 <= start // 60 <= 5:
        return start + _MORNINGS * 60
    return start if 8 <= start // 60 <= _MORNINGS else None


def _minutes(hour: str, minute: str | None, half: str | None) -> int | None:
    """Minutes since midnight; None if there is no such time."""
    hours, minutes = int(hour), int(minute or 0)
    if half is not None:
        if not 1 <= hours <= _MORNINGS:
            return None
        hours = hours % _MORNINGS + (_MORNINGS if half[0] in "pP" else 0)
    return hours * 60 + minutes if hours < 24 and minutes < 60 else None

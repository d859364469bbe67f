"""Days of what is due again and again between two dates that are written: "due Fridays from 22 January to 30 April"."""

import re
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final

from courses.syllabi.calendars import Mention
from courses.syllabi.reader import Syllabus
from courses.syllabi.words import RECURRING, weekdays_in

MOST_DAYS: Final = 60
_FROM: Final = re.compile(r"\b(?:begin\w*|start\w*|from|ab|vom|à partir du|desde)\b[^.;]{0,20}$", re.IGNORECASE)
_TO: Final = re.compile(r"\b(?:end\w*|until|through|to|bis|jusqu'au|hasta)\b[^.;]{0,20}$", re.IGNORECASE)
_EXCEPT: Final = re.compile(r"\b(?:no|except|not|kein\w*|außer|sauf|pas de|excepto|salvo)\b[^.;]{0,30}$", re.IGNORECASE)


def recurring_days(syllabus: Syllabus, text: str, mentions: Sequence[Mention]) -> list[date]:
    """The days of a recurring item, at most `MOST_DAYS`; none unless weekday, first and last day are written."""
    if not mentions or not RECURRING.search(text):
        return []
    first, last, without = _bounds(text, mentions)
    outside = text
    for mention in reversed(mentions):
        outside = outside[: mention.start] + outside[mention.end :]
    named = weekdays_in(outside)
    if first is None or last is None or len(named) != 1 or not first < last <= first + timedelta(days=400):
        return []
    day = first + timedelta(days=(named.pop() - first.weekday()) % 7)
    weekly = (day + timedelta(days=7 * week) for week in range(MOST_DAYS))
    return [day for day in weekly if day <= last and not any(mention.holds(day) for mention in without)]


def _bounds(text: str, mentions: Sequence[Mention]) -> tuple[date | None, date | None, list[Mention]]:
    """The first and the last day that are written, and what is left out between them."""
    first = last = None
    without: list[Mention] = []
    for mention in mentions:
        before = text[max(0, mention.start - 45) : mention.start]
        if _EXCEPT.search(before):
            without.append(mention)
        elif first is None and (mention.last - mention.first).days > 13:
            first, last = mention.first, mention.last
        elif first is None and _FROM.search(before):
            first = mention.first
        elif last is None and first is not None and _TO.search(before):
            last = mention.last
    return first, last, without

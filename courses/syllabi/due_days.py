"""Choose the due date among the dates in a text."""

import re
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Final

from courses.syllabi.dates import Mention
from courses.syllabi.phrases import Phrase
from courses.syllabi.vocabulary import any_word
from courses.syllabi.words import weekdays_in

_NEAR: Final = 80
"""Maximum distance in characters between a date and a word that explains it."""

_BY: Final = re.compile(rf"\b(?:{any_word('before_due_date')})\b[^.;]{{0,25}}$", re.IGNORECASE)
_NOT_DUE: Final = re.compile(
    r"\b(?:open(?:s|ed)?|released?|assigned|available(?! until)|posted|out|starts?|begins?|from|issued|revised|updated"
    r"|after|since|ausgabe|beginn|was|were|not available until)\b(?:[^.;,|\t]|(?<=\d)\.(?=\d)){0,15}$"
    r"|\b(?:sign[- ]?ups?|sign up|regist\w+|anmeldung|reserve|rsvp|regrades?|feedback|return(?:ed|s)?)\b[^.;]{0,45}$",
    re.IGNORECASE,
)
"""Words before a date that belongs to an opening or to something else, like a sign-up list."""

_LISTED: Final = re.compile(r"\s*(?:[,;]|(?:[,;]\s*)?(?:and|und|et|y|&))?\s*(?:on\s)?", re.IGNORECASE)
LETTERS: Final = {"m": 0, "t": 1, "tu": 1, "w": 2, "th": 3, "r": 3, "f": 4, "sa": 5, "su": 6}
"""Weekdays as letters in a timetable."""


LETTERED: Final = re.compile(rf"(?<!\w)(?:{'|'.join(LETTERS)}):", re.IGNORECASE)
"""The weekdays of a week in one line: "Wk 3 (1/18)  M: Vectors  F: Quiz"."""


def mentions_for(
    text: str, phrase: Phrase | None, phrases: Sequence[Phrase], mentions: Sequence[Mention]
) -> list[Mention]:
    """The dates in a sentence that may belong to one phrase.

    Dates follow their words, unless the sentence begins with a date.
    """
    if phrase is not None and len(phrases) > 1 and mentions:
        following = min((other.start for other in phrases if other.start > phrase.start), default=len(text))
        own = [one for one in mentions if phrase.end <= one.start < following]
        mentions = own or [one for one in mentions if one.start >= phrase.end][:1]
    elif phrase is not None:
        mentions = [one for one in mentions if one.start >= phrase.end] or mentions
    return due_among(text, mentions)


def due_among(text: str, mentions: Sequence[Mention]) -> list[Mention]:
    """The possible due dates: only the one after "due" or "by", if any, and never an opening date."""

    def after(cue: re.Pattern[str], dates: Sequence[Mention]) -> list[Mention]:
        return [one for one in dates if cue.search(text, max(0, one.start - _NEAR), one.start)]

    opening = after(_NOT_DUE, mentions)
    others = [one for one in mentions if one not in opening]
    return after(_BY, others)[:1] or others


def listed_after(text: str, mention: Mention, mentions: Sequence[Mention]) -> list[Mention]:
    """The days of a list, starting with its first: "February 11, March 18 and April 29"."""
    listed = [mention]
    for one in mentions:
        if one.start >= listed[-1].end and _LISTED.fullmatch(text, listed[-1].end, one.start):
            listed.append(one)
    return listed if all(one.first == one.last for one in listed) else [mention]


def day_in(mention: Mention, text: str) -> tuple[date, bool]:
    """The intended day of a range, that of the named weekday or the last; and whether that is certain."""
    if mention.first == mention.last:
        return mention.last, True
    named = weekdays_in(text)
    days = [mention.first + timedelta(days=days) for days in range(min((mention.last - mention.first).days + 1, 14))]
    meant = [day for day in days if day.weekday() in named]
    return (meant[0], True) if len(named) == 1 and meant else (mention.last, False)


def blanked(text: str, mentions: Sequence[Mention]) -> str:
    """The text with its dates replaced by spaces of the same length."""
    for mention in mentions:
        text = text[: mention.start] + " " * (mention.end - mention.start) + text[mention.end :]
    return text

"""Which of the dates in a text an item is due on."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Final

from courses.syllabi.calendars import Mention
from courses.syllabi.phrases import Phrase
from courses.syllabi.words import weekdays_in

_UNTIL: Final = re.compile(
    r"(?:\b(?:due|by|before|deadline|until|submit|abgabe|bis|avant le|antes del)\b[^.;]{0,25})$", re.IGNORECASE
)
_FROM: Final = re.compile(
    r"(?:\b(?:opens?|released?|assigned|available|posted|out|starts?|begins?|from|issued|revised|updated|after"
    r"|since)\b[^.;,]{0,15})$",
    re.IGNORECASE,
)
_ELSE: Final = re.compile(
    r"\b(?:sign[- ]?ups?|register\w*|registration|reserve|rsvp|regrades?|feedback|returned)\b[^.;]{0,45}$",
    re.IGNORECASE,
)
"""What has a date of its own beside an item: a list to sign up in, the return of what was graded."""

_LISTED: Final = re.compile(r"\s*(?:[,;]|(?:[,;]\s*)?(?:and|und|et|y|&))?\s*(?:on\s)?", re.IGNORECASE)
_WEEK_OF: Final = re.compile(
    r"\b(?:weeks? (?:of|beginning|commencing|starting)|w/c|woche (?:ab|vom)|semaine du|semana del)\s*:?\s*$",
    re.IGNORECASE,
)


def mention_for(text: str, phrase: Phrase, phrases: Sequence[Phrase], mentions: Sequence[Mention]) -> Mention | None:
    """The date of one phrase among those of its sentence."""
    if not mentions:
        return None
    if len(phrases) == 1:
        return due_mention(text, mentions)
    if mentions[0].start < phrases[0].start:
        before = [one for one in mentions if one.end <= phrase.start]
        following = min((other.start for other in phrases if other.start > phrase.start), default=len(text))
        own = [one for one in mentions if phrase.end <= one.start < following and one.first == one.last]
        if own and mentions[0].first < mentions[0].last:
            return due_mention(text, own)  # "Module 8 (7/26-7/30): project due 7/28"
        return before[-1] if before else mentions[0]
    following = min((other.start for other in phrases if other.start > phrase.start), default=len(text))
    own = [one for one in mentions if phrase.end <= one.start < following]
    return due_mention(text, own) if own else next((one for one in mentions if one.start >= phrase.end), None)


def due_mention(text: str, mentions: Sequence[Mention]) -> Mention:
    """Of several dates that by which it is due; never that on which it opens, if there is another."""
    mentions = [one for one in mentions if not _ELSE.search(text, 0, one.start)] or mentions
    for one in mentions:
        if _UNTIL.search(text, 0, one.start) and not _FROM.search(text[max(0, one.start - 25) : one.start]):
            return one
    return next((one for one in mentions if not _FROM.search(text[max(0, one.start - 30) : one.start])), mentions[-1])


def listed_after(text: str, mention: Mention, mentions: Sequence[Mention]) -> list[Mention]:
    """The days that a list goes on with after one: "February 11, March 18 and April 29"; that one first."""
    listed = [mention]
    for one in mentions:
        if one.start >= listed[-1].end and _LISTED.fullmatch(text, listed[-1].end, one.start):
            listed.append(one)
    return listed if all(one.first == one.last for one in listed) else [mention]


def day_in(mention: Mention, text: str) -> tuple[date, bool]:
    """The day meant: that of the weekday named, in a range; else its last. And whether that is certain."""
    if mention.first == mention.last:
        return mention.last, True
    named = weekdays_in(text)
    days = [mention.first + timedelta(days=days) for days in range((mention.last - mention.first).days + 1)][:14]
    meant = [day for day in days if day.weekday() in named]
    if len(named) == 1 and meant:
        return meant[0], True
    return mention.last, False


def blanked(text: str, mentions: Sequence[Mention]) -> str:
    """The text with spaces for its dates, places unchanged."""
    for mention in mentions:
        text = text[: mention.start] + " " * (mention.end - mention.start) + text[mention.end :]
    return text


def week_of(text: str, mention: Mention) -> Mention:
    """The mention, or seven days from it where "week of" stands before it."""
    if mention.first == mention.last and _WEEK_OF.search(text[max(0, mention.start - 25) : mention.start]):
        return replace(mention, last=mention.first + timedelta(days=6))
    return mention

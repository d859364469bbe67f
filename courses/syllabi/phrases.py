"""Names of work in a text, and the due date among the dates beside them."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from courses.syllabi.dates import Mention
from courses.syllabi.words import NOUN, STRONG, VOCABULARY, WEEKDAYS, any_word, kind_of, weekdays_in, whole_word

_NUMBER: Final = r"(?:#|no\.?|nr\.?|n°|number|part|pt\.?)?\s?(?:\d{1,2}[a-c]?|I{1,3}|IV|VI{0,3}|IX|X|[A-H])"
_NUMBERED: Final = re.compile(
    rf"\.?\s?(?P<first>{_NUMBER})(?!\w|[:.]\d|\s?(?:%|pts?\b|points?\b|[ap]\.?m\b|uhr\b|hours?\b|minutes?\b"
    rf"|pages?\b|words?\b|[/x\u00d7]\s?\d))"
)
_LEADING_WORD: Final = re.compile(r"([^\W\d_][\w'\u2019&-]*|\d{1,2}(?:st|nd|rd|th))\s+$")
_JOINED: Final = re.compile(r"[\"'\u2019\u201d]?\s+(?:[^\W\d_][\w'-]*\s+){0,2}|-")
_OF: Final = re.compile(
    r"\s(?:of|for|de|du|del|des|de la|zum|zur)\s(?:(?:the|your|a|an|each|la|le|el)\s)?(?:(?!(?:exams?|finals?)\b)"
    r"[^\W\d_]+\s)?",
    re.IGNORECASE,
)
"""Words that join two names of one item: "critique of project one", "draft of the term paper"."""

_STOP: Final = frozenset(VOCABULARY["stop_words"]) | WEEKDAYS.keys() | {"am", "pm"}
TAKING_PART: Final = whole_word("taking_part")
"""Parts of the grade that are not due on a day."""

_LONG: Final = re.compile(r".*-(?:page|word|paragraph|minute|hour)s?", re.IGNORECASE)
"""A required length, which is not part of the name: "one-page"."""

_AGAINST_BEFORE: Final = re.compile(
    rf"\b(?:{any_word('not_due_before')})\s+"
    r"(?:the |your |of |for |our |de[lnrs]? |die |das |du |zu[rm] |l[ae] |l')*$",
    re.IGNORECASE,
)
_REHEARSAL: Final = re.compile(rf"(?:{any_word('rehearsal')})\b", re.IGNORECASE)
_AGAINST_AFTER: Final = re.compile(
    rf"^[\s\d#:-]{{0,6}}(?:is |are |will be |to be |questions? )?\(?(?:{any_word('not_due_after')})", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words that name an item.

    Attributes:
        start: start position in the text.
        end: end position.
        title: the words, with single spaces.
        kind: a value of `ItemKind`.
        numbered: whether a number distinguishes it from others of its kind.
        strong: whether its noun is unambiguous.
        against: whether it is reviewed, assigned or returned there rather than due.
    """

    start: int
    end: int
    title: str
    kind: str
    numbered: bool
    strong: bool
    against: bool


def phrases_of(text: str, nouns: re.Pattern[str] = NOUN) -> list[Phrase]:
    """The items that a text names, in order.

    Args:
        text: a sentence or a cell.
        nouns: words for work; those of `nouns_with` include parts of the grade.
    """
    phrases: list[Phrase] = []
    found = list(nouns.finditer(text))
    at = 0
    while at < len(found):
        start, (numbered, end) = found[at].start(), _numbered(text, found[at].end())
        at += 1
        while at < len(found) and _continues(text[end : found[at].start()]):
            more, end = _numbered(text, found[at].end())
            numbered = numbered or more
            at += 1
        start = _leading(text, start, phrases[-1].end if phrases else 0)
        title = " ".join(text[start:end].split())
        against = _AGAINST_AFTER.match(text[end : end + 60]) or _AGAINST_BEFORE.search(text[max(0, start - 40) : start])
        against = against or _REHEARSAL.match(title)
        strong = bool(STRONG.search(title)) or not NOUN.search(title)
        phrases.append(Phrase(start, end, title, kind_of(title, "assignment"), numbered, strong, bool(against)))
    return phrases


def _continues(between: str) -> bool:
    """Return whether the words between two nouns join them to one name: "draft of the term paper"."""
    if _OF.fullmatch(between):
        return True
    return bool(_JOINED.fullmatch(between)) and not any(word.lower() in _STOP for word in between.split())


def nouns_with(graded: Iterable[str]) -> re.Pattern[str]:
    """A pattern for nouns for work, also those of parts of the grade: "Profile", "Song book"."""
    names = set()
    for name in graded:
        plain = name.partition("(")[0].strip().lower()
        if len(plain) > 3 and not NOUN.search(plain):
            names |= {plain, plain.removesuffix("s")}
    words = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    return re.compile(rf"{NOUN.pattern}|\b(?:{words})(?:e?s)?\b", re.IGNORECASE) if words else NOUN


def _numbered(text: str, end: int) -> tuple[bool, int]:
    """Return whether a number follows at `end`, and where the phrase then ends."""
    found = _NUMBERED.match(text, end)
    return (True, found.end()) if found else (False, end)


def _leading(text: str, start: int, floor: int) -> int:
    """The start of the adjectives before a noun, at most four."""
    for _ in range(4):
        word = _LEADING_WORD.search(text, max(floor, start - 30), start)
        if word is None or word[1].lower() in _STOP or _LONG.fullmatch(word[1]):
            return start
        start = word.start(1)
    return start


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

"""Pieces of a syllabus with a title and its date, and the titles of items in them."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from courses.syllabi.dates import Mention
from courses.syllabi.phrases import Phrase
from courses.syllabi.words import DUE, OPEN, SAYS, WEEKDAYS, one_of, whole_word

BEGIN: Final = re.compile(
    r"[\s*#]*(?:(?:week|wk|woche|kw|semaine|semana|class|session|lecture|day|module?|unit|unidad|modulo|no|séance|sitzung|sesión)\.?\s*#?\d{0,2}"
    r"|\d{1,2}|(?:\d{1,2}\s)?(?:M|T|W|R|F|TH|TU|SA|SU|(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\W{0,2}){1,2})|finals)?[\s:.,(*|–—-]*",
    re.IGNORECASE,
)
"""Text allowed before the date at the start of a line."""

WEEK_HEAD: Final = re.compile(r"[\s*#]*(?:week|wk|woche|semaine|semana)\s*#?\d", re.IGNORECASE)
"""The number of a week at the start of a line."""

WHEN_WORDS: Final = whole_word("when")


@dataclass(frozen=True, slots=True)
class Unit:
    """A cell, a short line, or a sentence.

    Attributes:
        text: its words.
        line: its first line, from 0.
        mentions: the dates in it.
        given: the date from its row, its block or a line above; None without one.
        reason: whether its row, column or block says that something is due.
        titled: whether its place says that it is the title of work.
        entry: whether its date follows it in its row, as in a list of deadlines.
        several: whether its row has several dates and no column determines which one counts.
        prose: whether it is a sentence of a long line.
        in_week: whether its line begins with a week number and has no date.
        detail: whether its date is a detail in a line of its own.
        role: the role of its column, empty if it has none; None outside of tables.
        due: the text of its due date, if that is in a cell or a line of its own.
    """

    text: str
    line: int
    mentions: Sequence[Mention] = ()
    given: Mention | None = None
    reason: bool = False
    titled: bool = False
    entry: bool = False
    several: bool = False
    prose: bool = False
    in_week: bool = False
    detail: bool = False
    role: str | None = None
    due: str = ""


def dates_inside(mentions: Sequence[Mention], start: int, text: str) -> list[Mention]:
    """The mentions within a text that begins at `start`, with positions relative to it."""
    return [
        replace(one, start=one.start - start, end=one.end - start)
        for one in mentions
        if start <= one.start and one.end <= start + len(text)
    ]


MOST_WORDS: Final = 9
"""Maximum number of words in a line or cell that is a title as a whole."""

MOST_CHARACTERS: Final = 160

_TIME: Final = re.compile(
    r"\b(?:at |by |from |before |um |à |a las )?\d{1,2}(?:[:.h]\d\d)?\s?(?:[ap]\.?m\b\.?|uhr\b"
    r"|h\b)?(?:\s?[-–—]\s?\d{1,2}(?:[:.h]\d\d)?)?\s?(?:[ap]\.?m\b\.?|uhr\b|(?<=\d)h\b)(?:\s?(?:c|e|p|m)[sd]?t\b)?"
    r"|\b[012]\d[0-5]\d\s?[-–]\s?[012]\d[0-5]\d\b|\b\d{1,2}:\d\d(?:\s?[-–—]\s?\d{1,2}:\d\d)?\b|\b(?:at )?(?:noon"
    r"|midnight)\b",
    re.IGNORECASE,
)
_SHARE: Final = r"\d{1,4}(?:\.\d+)?\s?(?:%|pts?\b\.?|points?\b|marks?\b)"
_WORTH: Final = re.compile(rf"(?:\({_SHARE}\)|\b{_SHARE})(?: each)?", re.IGNORECASE)
_PLACE: Final = (
    r"(?:via|on|through) (?:(?:the|our) )?(?:canvas|blackboard|moodle|gradescope|brightspace|turnitin|d2l|lms|portal"
    r"|course (?:web)?site)\b"
)
_CUES: Final = re.compile(
    r"\b(?:(?:is|are|will be|must be|to be|should be) )?(?:due|submitted|handed in|turned in|held"
    rf"|scheduled)\b(?: (?:{_PLACE}|on|by|in class|at|date|before(?: class)?|today|online|for))*|\bdeadline(?: for)?\b"
    r"|\bdate\b:|\b(?:in|before|during|at|by) (?:the )?(?:start of |beginning of |end of )?(?:the )?(?:class|lecture"
    r"|lab)\b|\b(?:hand|turn|send) (?:it|them|this|these) in\b(?: (?:by|on|at))*"
    rf"|^(?:abgabe|entrega(?: de| del)?|rendu(?: du| de la)?|submit|turn in|hand in|complete)\b:?"
    rf"|\b{_PLACE}|^(?:week|wk|woche|semaine|semana"
    r"|class|session|day|lecture)\s*#?\d{1,2}\b[:.]?|^\d{1,2}(?:\s+(?=\D)|$)|\b(?:on|by|until|bis|am|le|is|are|be)\s*$|^(?:on"
    r"|am|le|el|week of)\b",
    re.IGNORECASE,
)
_WEEKDAY_LAST: Final = re.compile(
    rf"\s+(?:(?:on|by|due|am|le|el)\s+)?\(?(?:{one_of(WEEKDAYS)})s?[\s.,)]*$", re.IGNORECASE
)
_EMPTY: Final = re.compile(r"\([\s,;]*\)|\[[\s,;]*\]|\s[@*](?=\s|$)")
_CUT: Final = "\x1f"
"""Marks where something was cut out of a title. It is white space for the patterns above."""
_AROUND_CUT: Final = re.compile(rf"(?<![ ,;:–—-])[ ,;:–—-]*{_CUT}[{_CUT} ,;:–—-]*")
_EDGES: Final = " \t,;:.–—-|/*•·=()&+→"
_NOTHING: Final = frozenset(
    {"", "none", "n/a", "na", "tba", "tbd", "-", "x", "due", "no", "keine", "aucun", "nothing", "nothing due"}
)


def cleaned(text: str, mentions: Iterable[Mention]) -> str:
    """A text without dates, times, weights and words like "due on", trimmed of their separators."""
    kept, at = [], 0
    for mention in mentions:
        kept.append(text[at : mention.start])
        at = mention.end
    text = _CUT.join([*kept, text[at:]])
    for pattern in (_TIME, _WORTH, _CUES, _EMPTY):
        text = pattern.sub(_CUT, text)
    text = _AROUND_CUT.sub(_one_separator, text)
    text = " ".join(text.split()).replace(" ,", ",").replace(" ;", ";").replace(" :", ":").strip(_EDGES)
    text = _WEEKDAY_LAST.sub("", text).removesuffix("*").strip(_EDGES)
    return f"{text})" if text.count("(") > text.count(")") else text


def _one_separator(around: re.Match[str]) -> str:
    """The first separator around what was cut out, or a space; nothing beside a bracket."""
    text, start, end = around.string, *around.span()
    if text[start - 1 : start] in {"(", "["} or text[end : end + 1] in {")", "]"}:
        return ""
    separators = around[0].replace(_CUT, " ").split()
    return f" {separators[0][0]} " if separators else " "


def is_title(text: str) -> bool:
    """Return whether a whole text is short and wordy enough for a title."""
    words = text.split()
    return (
        0 < len(words) <= MOST_WORDS
        and len(text) <= MOST_CHARACTERS
        and sum(character.isalpha() for character in text) >= 3
        and text.lower() not in _NOTHING
    )


def title_of(unit: Unit, phrase: Phrase, end: int) -> str:
    """The phrase, or the entry from there to its date or to `end`: "Assignment 1: ER modeling"."""
    text, at = unit.text, phrase.end
    if text[at : at + 1] in {"", ","} or SAYS.search(text) or DUE.match(text, at + 1):
        return phrase.title
    end = min((one.start for one in unit.mentions if at <= one.start < end), default=end)
    whole = cleaned(OPEN.sub("", text[phrase.start : end]), [])
    return whole if is_title(whole) and ". " not in whole else phrase.title

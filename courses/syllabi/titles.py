"""Extract titles of items from their lines."""

import re
from collections.abc import Iterable
from typing import Final

from courses.syllabi.cues import DUE, OPEN, SAYS
from courses.syllabi.dates import Mention
from courses.syllabi.phrases import Phrase
from courses.syllabi.unit import Unit
from courses.syllabi.words import WEEKDAYS, one_of

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
_WORTH: Final = re.compile(r"\(?\b\d{1,4}(?:\.\d+)?\s?(?:%|pts?\b\.?|points?\b|marks?\b)\)?(?: each)?", re.IGNORECASE)
_CUES: Final = re.compile(
    r"\b(?:(?:is|are|will be|must be|to be|should be) )?(?:due|submitted|handed in|turned in|held"
    r"|scheduled)\b(?: (?:on|by|in class|at|date|before(?: class)?|today|online|for))*|\bdeadline(?: for)?\b"
    r"|\bdate\b:|\b(?:in|before|during|at|by) (?:the )?(?:start of |beginning of |end of )?(?:the )?(?:class|lecture"
    r"|lab)\b|\b(?:hand|turn|send) (?:it|them|this|these) in\b(?: (?:by|on|at))*"
    r"|^(?:abgabe|entrega(?: de| del)?|rendu(?: du| de la)?|submit|turn in|hand in|complete)\b:?|\b(?:via|on"
    r"|through) (?:canvas|blackboard|moodle|gradescope|brightspace|turnitin|d2l)\b|^(?:week|wk|woche|semaine|semana"
    r"|class|session|day|lecture)\s*#?\d{1,2}\b[:.]?|^\d{1,2}(?:\s+(?=\D)|$)|\b(?:on|by|until|bis|am|le|is|are|be)\s*$|^(?:on"
    r"|am|le|el|week of)\b",
    re.IGNORECASE,
)
_WEEKDAY_LAST: Final = re.compile(
    rf"\s+(?:(?:on|by|due|am|le|el)\s+)?\(?(?:{one_of(WEEKDAYS)})s?[\s.,)]*$", re.IGNORECASE
)
_EMPTY: Final = re.compile(r"\(\s*\)|\[\s*\]|\s[@*](?=\s|$)")
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
    text = " ".join([*kept, text[at:]])
    for pattern in (_TIME, _WORTH, _CUES, _EMPTY):
        text = pattern.sub(" ", text)
    text = " ".join(text.split()).replace(" ,", ",").replace(" :", ":").strip(_EDGES)
    text = _WEEKDAY_LAST.sub("", text).removesuffix("*").strip(_EDGES)
    return f"{text})" if text.count("(") > text.count(")") else text


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

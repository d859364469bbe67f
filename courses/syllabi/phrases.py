"""The words in a sentence or a cell that name an item: "Problem set 3", "the second essay"."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from courses.syllabi.kinds import NOUN, STRONG, kind_of
from courses.syllabi.vocabulary import VOCABULARY, any_word, whole_word
from courses.syllabi.words import WEEKDAYS

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

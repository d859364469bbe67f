"""Items named in a syllabus, each with its date and the doubts about it."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise
from typing import Final

from courses.syllabi.dates import Mention
from courses.syllabi.phrases import (
    LETTERED,
    Phrase,
    blanked,
    day_in,
    listed_after,
    mentions_for,
    nouns_with,
    phrases_of,
)
from courses.syllabi.reader import Syllabus
from courses.syllabi.reasons import Reason, confidence_of
from courses.syllabi.times import time_in
from courses.syllabi.titles import MOST_WORDS, Unit, cleaned, is_title, title_of
from courses.syllabi.units import LONGEST, SHORT, units_in
from courses.syllabi.weekday_rules import day_by_rule
from courses.syllabi.weights import Weight
from courses.syllabi.words import (
    BY,
    DUE,
    NO_ITEM,
    OPEN,
    PAST,
    RECURRING,
    REGISTRAR,
    SAT,
    SAYS,
    UNGRADED,
    any_word,
    kind_of,
    weekdays_in,
)

_SEPARATED: Final = re.compile(r"[,;:&+/|(]|\.\s|\s[–—-]\s|\b(?:and|or|und|et|y|o)\b", re.IGNORECASE)
_NO_NAME: Final = re.compile(rf"(?:{any_word('no_title')})\b|\(", re.IGNORECASE)
"""Words that never begin a title."""

_OPENS: Final = re.compile(r"\b(?:released?|opens?|assigned|posted|available|out)$", re.IGNORECASE)
_DESCRIBED: Final = re.compile(r"\s?(?:\([^)]*\))?\s?:")
_CODE: Final = re.compile(r"\b([A-Z]{1,4}[ -]?\d{1,2})\b(?!\s(?:released|out|opens)\b)")
_CODED: Final = re.compile(rf"{_CODE.pattern}\s(?:(?:is|are)\s)?(?:due|in[ -]class|on)\b")
"""An item named only by a code: "A1 due"."""

_LIST_HEAD: Final = re.compile(r"s?\s(?:due )?dates?\s?:", re.IGNORECASE)
"""The head of a list, and no item of it: "Problem set due dates: PS1 Sept. 14, PS2 Sept. 28"."""

_OR: Final = re.compile(r"[\s,]*(?:or|oder|ou|o)\s(?:on\s)?", re.IGNORECASE)
_SECTION: Final = re.compile(r"\b(?:section|sec\.|group|cohort|lab section|gruppe)s?\s[A-Z\d]{1,4}\b", re.IGNORECASE)
_CLAUSE: Final = re.compile(r"\s*[(;.]|\s(?:as (?:described|discussed)|which|that)\b")
CROWDED: Final = 2
_PLURAL: Final = re.compile(r"(?<![sui])s$", re.IGNORECASE)
_CLOSES: Final = re.compile(rf"{DUE.pattern}|\b(?:closes?|through|until|bis|jusqu'au|hasta)\b", re.IGNORECASE)
_TOPIC: Final = re.compile(r"s(?:\s[IVX\d]+)?$|test$", re.IGNORECASE)
"""A plural, or a test without a number, is rather a topic: "the t-test"."""

_ARTICLE: Final = re.compile(r"^(?:the|an?|your|our|my|del?(?: la)?|des?|du|la|el|le|der|die|das)\s", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Candidate:
    """An item that the text seems to name.

    Attributes:
        title: as written.
        kind: a value of `ItemKind`.
        due_on: the day, or None if unknown.
        line: line number, from 0.
        due_time: its time as `HH:MM`, or None.
        reasons: what speaks for and against its date.
        said: its sentence, if that is not the whole line.
    """

    title: str
    kind: str
    due_on: date | None
    line: int
    reasons: frozenset[Reason] = frozenset()
    said: str | None = None
    due_time: str | None = None

    @property
    def confidence(self) -> float:
        """From 0 to 1."""
        return confidence_of(self.reasons)

    @property
    def doubted(self) -> bool:
        """Whether something speaks against it."""
        return any(reason.is_doubt for reason in self.reasons)


def candidates_in(syllabus: Syllabus, graded: Sequence[str] = ()) -> Iterator[Candidate]:
    """The candidates of a text in order, including duplicates.

    Args:
        syllabus: the parsed text.
        graded: the names of the parts of the grade; these are words for work, too.
    """
    nouns = nouns_with(graded)
    for unit in units_in(syllabus):
        for candidate in _of_unit(syllabus, unit, nouns):
            yield replace(candidate, said=unit.text) if unit.prose else candidate


def undated_parts(weights: Iterable[Weight]) -> Iterator[Candidate]:
    """The parts of the grade that are one piece of work, like "Final exam", in case the text has no date for them."""
    for part in weights:
        phrases = phrases_of(part.name)
        if len(phrases) == 1 and phrases[0].strong and not phrases[0].against and not _PLURAL.search(phrases[0].title):
            yield Candidate(part.name, phrases[0].kind, None, part.line, frozenset({Reason.NO_DATE, Reason.GRADED}))


def _of_unit(syllabus: Syllabus, unit: Unit, nouns: re.Pattern[str]) -> Iterator[Candidate]:
    text = unit.text
    if REGISTRAR.search(text):
        return
    phrases = _named_in(unit, nouns)
    for at in range(len(phrases)):
        yield from _of_phrase(syllabus, unit, phrases, at)


def _named_in(unit: Unit, nouns: re.Pattern[str]) -> list[Phrase]:
    """The phrases for the items of a unit: those with a known noun, and codes."""
    text = unit.text
    phrases = phrases_of(text, nouns)
    phrases += [
        Phrase(*code.span(1), code[1], "assignment", numbered=True, strong=True, against=False)
        for code in (_CODE if unit.reason else _CODED).finditer(text)
    ]
    phrases = _apart(text, sorted(phrases, key=lambda one: one.start), unit.mentions)
    if not phrases or (
        unit.titled
        and not phrases[0].against
        and (len(phrases) == 1 or _DESCRIBED.match(text, phrases[0].end) or " – " in text)
    ):
        return _named_by_due(unit, phrases) or phrases
    return phrases


def _apart(text: str, phrases: Sequence[Phrase], mentions: Sequence[Mention]) -> list[Phrase]:
    """The separate phrases of an entry; "Quiz unit 1 test" and "Proposal: a bibliography" are one phrase each."""
    apart = [*phrases[:1]]
    apart += [after for before, after in pairwise(phrases) if _SEPARATED.search(text, before.end, after.start)]
    return apart[:1] if len(mentions) == 1 and apart and _DESCRIBED.match(text, apart[0].end) else apart


def _named_by_due(unit: Unit, phrases: Sequence[Phrase]) -> list[Phrase]:
    """An item of any name, recognized by its column or by "due": "Team charter due Sept. 11"."""
    text, cue = unit.text, DUE.search(unit.text)
    start = cue.end() if cue and not any(map(str.isalnum, text[: cue.start()])) and not unit.titled else 0
    end = cue.start() if cue and not unit.titled and not start else len(text)
    inside = [
        replace(one, start=one.start - start, end=one.end - start)
        for one in unit.mentions
        if start <= one.start and one.end <= end
    ]
    title = _ARTICLE.sub("", cleaned(text[start:end], inside))
    if start:  # "Due: implement the parser as described (pages 10 to 12)"
        title = " ".join(_CLAUSE.split(title, maxsplit=1)[0].split()[:MOST_WORDS])
    if not (cue or unit.reason or unit.titled) or not is_title(title) or _NO_NAME.match(title) or _OPENS.search(title):
        return []
    kind, numbered = kind_of(title, "assignment"), any(one.numbered for one in phrases)
    return [Phrase(start, end, title, kind, numbered, strong=True, against=False)]


def _of_phrase(syllabus: Syllabus, unit: Unit, phrases: Sequence[Phrase], at: int) -> Iterator[Candidate]:
    """The item of one phrase, or one item for each day of a list."""
    text, phrase = unit.text, phrases[at]
    start, end = phrase.start if at else 0, phrases[at + 1].start if phrases[at + 1 :] else len(text)
    near = blanked(text, unit.mentions)[start:end]
    handed_out = phrase.against and not _CLOSES.search(text, phrase.end, end)
    if handed_out or PAST.search(near) or (NO_ITEM.search(near) and not DUE.search(near)):
        return
    if _LIST_HEAD.match(text, phrase.end) and phrases[at + 1 :]:
        return
    title = title_of(unit, phrase, end)
    own = mentions_for(text, phrase, phrases, unit.mentions)
    if unit.given and weekdays_in(near) and not any(start <= one.start < end for one in own):
        own = []  # a day of the row's week: "HW 10 (Fri); report due Thu Dec 10"
    mention = own[0] if own else unit.given
    period = mention is not None and mention.last - mention.first > LONGEST
    if period or OPEN.search(near) or (mention is None and unit.in_week):
        yield Candidate(title, phrase.kind, None, unit.line, frozenset({Reason.NO_DATE}))
    elif mention is not None:
        listed = listed_after(text, mention, unit.mentions) if own else [mention]
        day, certain = day_in(mention, near)
        ruled = None if certain else day_by_rule(syllabus.rules, title, mention.first)
        day = ruled or day
        reasons = _reasons(syllabus, unit, phrase, mention, day, near=near, title=title, days=len(listed))
        reasons |= _held(
            {
                Reason.SEVERAL_DAYS: not (certain or ruled) or len(LETTERED.findall(syllabus.lines[unit.line])) > 1,
                Reason.RULE: ruled is not None,
                Reason.CROWDED: len(phrases) > CROWDED,
                Reason.TWO_DATES: len(own) > len(listed)
                or unit.several
                or (bool(own) and _of_sections(unit, start, end)),
            }
        )
        time = _time(syllabus, unit, phrase, range(start, end), own[0] if own else None)
        one_of = title.removesuffix("s") if len(listed) > 1 and Reason.SAT in reasons else None
        for number, each in enumerate([day, *(one.last for one in listed[1:])], 1):
            named = f"{one_of} {number}" if one_of else title
            yield Candidate(named, phrase.kind, each, unit.line, reasons, due_time=time)


def _time(syllabus: Syllabus, unit: Unit, phrase: Phrase, words: range, day: Mention | None) -> str | None:
    """The time of a phrase: behind its date, else behind or before its name, beside its due date, or in its short line.

    In a table only the item's own cell and that of its due date count: another column has the times of classes.

    Args:
        syllabus: the text.
        unit: the unit of the phrase.
        phrase: names the item.
        words: the positions of the words about it.
        day: its date, if that is among them.
    """
    text = blanked(unit.text, unit.mentions)
    name = min(phrase.end, phrase.start + len(phrase.title))  # "Homework 5 - 11:59 pm" has no range of times
    starts = (*([day.end] if day else []), name)
    places = [*(text[start : words.stop] for start in starts), text[words.start : phrase.start]]
    places.append(blanked(unit.due, syllabus.dates_in_text(unit.due)))
    line = syllabus.lines[unit.line]
    if unit.role is None and len(line) < SHORT and words == range(len(unit.text)):
        places.append(blanked(line, syllabus.mentions(unit.line)))
    return next((time for place in places if (time := time_in(place)) is not None), None)


def _of_sections(unit: Unit, start: int, end: int) -> bool:
    """Return whether a phrase has a date for each section: "due October 5 (section A), October 7 (section B)"."""
    days = [one for one in unit.mentions if start <= one.start < end and one.first == one.last]
    return any(
        _OR.fullmatch(unit.text, one.end, other.start)
        or (_SECTION.search(unit.text, start, end) and one.first != other.first)
        for one, other in pairwise(days)
    )


def _reasons(
    syllabus: Syllabus, unit: Unit, phrase: Phrase, mention: Mention, day: date, *, near: str, title: str, days: int
) -> frozenset[Reason]:
    """The reasons for and against one day.

    Args:
        syllabus: the text.
        unit: the unit of the phrase.
        phrase: names the item.
        mention: the date.
        day: the day meant by it.
        near: the words between the phrases before and after it, without dates.
        title: the title of the item.
        days: how many days a list has.
    """
    text, line, mentions = unit.text, syllabus.lines[unit.line], syllabus.mentions(unit.line)
    own = mention is not unit.given
    weekdays = weekdays_in(near) | ({mention.weekday} - {None})
    due = unit.reason or bool(DUE.search(near) or (own and BY.search(text, phrase.end, mention.start)))
    beside = own and phrase.end <= mention.start and not any(map(str.isalnum, text[phrase.end : mention.start]))
    entry = beside or unit.entry or unit.titled or (own and phrase.start < 4)
    begins = phrase.start < 5
    plain = phrase.strong or phrase.numbered
    placed = (phrase.numbered or (begins and not unit.prose)) and not _TOPIC.search(phrase.title)
    heads_line = line[:SHORT].strip().lower().startswith(title.lower()[:12]) or bool(mentions and mentions[0].start < 6)
    return _held(
        {
            Reason.DUE: due,
            Reason.SAT: (placed or days > 1) and bool(SAT.search(phrase.title)),
            Reason.LISTED: entry and plain,
            Reason.NUMBER: phrase.numbered,
            Reason.TITLED: unit.titled,
            Reason.PLURAL: days == 1 and bool(_PLURAL.search(phrase.title)),
            Reason.CELL: unit.role is not None,
            Reason.SAYS: bool(SAYS.search(near)),
            Reason.WEEKDAY: day.weekday() in weekdays,
            Reason.OTHER_WEEKDAY: bool(weekdays) and day.weekday() not in weekdays,
            Reason.RECURRING: bool(RECURRING.search(near)) and not phrase.numbered,
            Reason.MAYBE_TOPIC: not (due or plain or entry or (begins and ":" not in text.strip(" :")))
            or bool(UNGRADED.search(near)),
            Reason.ENTRY: heads_line and len(cleaned(line, mentions)) <= len(title) + 25,
            Reason.HERE: unit.detail or any(one.holds(day) for one in mentions),
            Reason.OUTSIDE_TERM: not syllabus.in_term(day),
            Reason.YEAR: not syllabus.calendar.sure,
        }
    )


def _held(reasons: Mapping[Reason, bool]) -> frozenset[Reason]:
    return frozenset(reason for reason, holds in reasons.items() if holds)

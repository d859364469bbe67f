"""Items named in a syllabus, each with its date and the doubts about it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import pairwise
from typing import Final

from courses.syllabi.calendars import WEEK_OF, Mention
from courses.syllabi.cues import BY, DUE, EVENT, NO_ITEM, OPEN, PAST, REGISTRAR, SAYS, UNGRADED
from courses.syllabi.due_days import blanked, day_in, listed_after, mentions_for
from courses.syllabi.kinds import SAT, kind_of
from courses.syllabi.phrases import Phrase, parts_in, parts_pattern, phrases_of
from courses.syllabi.reader import Syllabus
from courses.syllabi.reasons import Reason, confidence_of
from courses.syllabi.titles import cleaned, is_title, title_of
from courses.syllabi.unit import Unit
from courses.syllabi.units import LONGEST, SHORT, units_in
from courses.syllabi.words import RECURRING, weekdays_in

_SEPARATED: Final = re.compile(r"[,;:&+/|(]|\.\s|\s[–—-]\s|\b(?:and|or|und|et|y|o)\b", re.IGNORECASE)
_ORDINALS: Final = (
    r"(?:first|second|third|fourth|fifth|last|other|erste\w*|zweite\w*|dritte\w*|premi[eè]re?|deuxième|troisième"
    r"|primera?|segund[oa]|tercer[oa]?)\b"
)
_NUMBERED: Final = re.compile(_ORDINALS, re.IGNORECASE)
_ORDINAL: Final = re.compile(
    rf"\b(?:the|der|die|das|le|la|el)\s(?P<which>{_ORDINALS})"
    r"(?:, [^,.;]{3,40},)?(?:\s(?:one|is|are|will be|takes place|due|held|on|by|am|bis|le|el)){0,4}[\s,]*$",
    re.IGNORECASE,
)
_NO_NAME: Final = re.compile(
    r"(?:out|released?|opens?|assigned|posted|available|at|by|in|on|before|the|via|through|no|to|dates?|you|we|they|it|all"
    r"|students?|if|when|please|this|these|week|day|today|tonight|midnight|noon|first|second|third|last|grades|calificaciones|notas|noten)\b|\(",
    re.IGNORECASE,
)
"""Words that never begin a title."""

_OPENS: Final = re.compile(r"\b(?:released?|opens?|assigned|posted|available|out)$", re.IGNORECASE)
_DESCRIBED: Final = re.compile(r"\s?(?:\([^)]*\))?\s?:")
_CODE: Final = re.compile(r"\b([A-Z]{1,4}[ -]?\d{1,2})\b(?!\s(?:released|out|opens)\b)")
_CODED: Final = re.compile(rf"{_CODE.pattern}\s(?:(?:is|are)\s)?(?:due|in[ -]class|on)\b")
"""An item named only by a code: "A1 due"."""

_EXCEPT: Final = re.compile(r"\b(?:except|excluding|not|no|but|außer|sauf|excepto)\b", re.IGNORECASE)
_CLOSES: Final = re.compile(rf"{DUE.pattern}|\b(?:closes?|through|until|bis|jusqu'au|hasta)\b", re.IGNORECASE)
_ARTICLE: Final = re.compile(r"^(?:the|an?|your|our|my|del?(?: la)?|des?|du|la|el|le|der|die|das)\s", re.IGNORECASE)
_PRONOUN: Final = re.compile(
    r"\b(?:it|they|them)(?:'s|'re)? (?=(?:is |are )?(?:due|handed in|turned in|collected|by)\b)", re.IGNORECASE
)
"""A work of the sentence before that is due: "It's handed in on October 8"."""

_RANGE: Final = re.compile(r"[-–—]|\bto\b")


@dataclass(frozen=True, slots=True)
class Candidate:
    """An item that the text seems to name.

    Attributes:
        title: as written.
        kind: a value of `ItemKind`.
        due_on: the day, or None if unknown.
        line: line number, from 0.
        reasons: what speaks for and against its date.
        numbered: whether a number distinguishes it from others of its kind.
        said: its sentence, if that is not the whole line.
    """

    title: str
    kind: str
    due_on: date | None
    line: int
    reasons: frozenset[Reason] = frozenset()
    numbered: bool = False
    said: str | None = None

    @property
    def confidence(self) -> float:
        """From 0 to 1."""
        return confidence_of(self.reasons)

    @property
    def doubted(self) -> bool:
        """Whether something speaks against it."""
        return any(reason.weight < 0 for reason in self.reasons)


def candidates_in(syllabus: Syllabus, graded: Sequence[str] = ()) -> Iterator[Candidate]:
    """The candidates of a text in order, including duplicates.

    Args:
        syllabus: the parsed text.
        graded: the names of the parts of the grade; these are words for work, too.
    """
    parts = parts_pattern(graded)
    for column in syllabus.columns:
        for unit in units_in(column):
            for candidate in _of_unit(column, unit, parts):
                yield replace(candidate, said=unit.text) if unit.prose else candidate


def _of_unit(syllabus: Syllabus, unit: Unit, parts: re.Pattern[str] | None) -> Iterator[Candidate]:
    text = unit.text
    phrases = phrases_of(text) or parts_in(text, parts)
    if len(outside := [one for one in phrases if text.count("(", 0, one.start) <= text.count(")", 0, one.start)]) == 1:
        phrases = outside  # "Portfolio task 2 (assignment)"
    if (
        not phrases
        and (pronoun := _PRONOUN.search(text))
        and (before := phrases_of(unit.before) or parts_in(unit.before, parts))
    ):
        phrases = [replace(before[-1], start=pronoun.start(), end=pronoun.end())]
    if coded := [
        Phrase(*one.span(1), one[1], "assignment", True, strong=True, against=False)
        for one in (_CODE if unit.reason else _CODED).finditer(text)
        if not any(phrase.start < one.end() and one.start() < phrase.end for phrase in phrases)
    ]:
        phrases = sorted([*phrases, *coded], key=lambda phrase: phrase.start)
    if not unit.prose:
        phrases = _apart(text, phrases, unit.mentions)
    if not phrases or (
        unit.reason
        and not phrases[0].against
        and (len(phrases) == 1 or _DESCRIBED.match(text, phrases[0].end) or " – " in text)
    ):
        phrases = _named_by_due(unit, phrases) or phrases
    if REGISTRAR.search(text):
        return
    if weekly := list(_every_week(syllabus, unit)):
        yield from weekly
        return
    plain = blanked(text, unit.mentions)
    starts = [0, *(phrase.start for phrase in phrases[1:]), len(text)]
    for at, phrase in enumerate(phrases):
        near = plain[starts[at] : starts[at + 1]]
        if (NO_ITEM.search(near) and not DUE.search(near)) or (phrase.against and not _due_after_all(unit, phrase)):
            continue
        yield from _of_phrase(syllabus, unit, phrases, phrase, near)
    yield from _elided(syllabus, unit, phrases)


def _apart(text: str, phrases: Sequence[Phrase], mentions: Sequence[Mention]) -> list[Phrase]:
    """The separate phrases of an entry; "Quiz unit 1 test" and "Proposal: a bibliography" are one phrase each."""
    apart = list(phrases[:1])
    for earlier, phrase in pairwise(phrases):
        dated = any(earlier.end <= one.start < phrase.start for one in mentions)
        if dated or _SEPARATED.search(text, earlier.end, phrase.start):
            apart.append(phrase)
    if len(mentions) == 1 and len(apart) > 1 and mentions[0].start > apart[-1].end:
        described = _DESCRIBED.match(text, apart[0].end) and not DUE.search(text)
        described = described or (
            text[0].isupper() and apart[0].start == 0 and text[apart[0].end : apart[0].end + 1] == ","
        )
        return apart[:1] if described else apart
    return apart


def _named_by_due(unit: Unit, phrases: Sequence[Phrase]) -> list[Phrase]:
    """An item of any name, recognized by its column or by "due": "Team charter due Sept. 11"."""
    text, cue = unit.text, DUE.search(unit.text)
    end = cue.start() if cue and not unit.reason else len(text)
    title = _ARTICLE.sub("", cleaned(text[:end], [one for one in unit.mentions if one.end <= end]))
    if not (cue or unit.reason) or not is_title(title) or _NO_NAME.match(title) or _OPENS.search(title):
        return []
    kind, numbered = kind_of(title, "assignment"), any(one.numbered for one in phrases)
    return [Phrase(0, end, title, kind, numbered, strong=True, against=False, unnamed=not phrases)]


def _due_after_all(unit: Unit, phrase: Phrase) -> bool:
    """Return whether work that is handed out or reviewed is also due: at once, or on the last of several days."""
    following = unit.text[phrase.end :]
    return bool(DUE.match(following.lstrip(" :-,")) or (len(unit.mentions) > 1 and _CLOSES.search(following)))


def _of_phrase(
    syllabus: Syllabus, unit: Unit, phrases: Sequence[Phrase], phrase: Phrase, near: str
) -> Iterator[Candidate]:
    """The item of one phrase, or one item for each day of a list."""
    text, title = unit.text, title_of(unit, phrases, phrase)
    own = mentions_for(text, phrase, phrases, unit.mentions)
    due = bool(DUE.search(near))
    mention = own[0] if own else unit.given
    due = due or bool(BY.search(text, phrase.end, own[0].start) if own else BY.search(near))
    period = mention is not None and (
        mention.last - mention.first > LONGEST
        or bool(own and WEEK_OF.search(text, 0, mention.start) and not _RANGE.search(text, mention.start, mention.end))
    )
    if period or OPEN.search(near) or (mention is None and unit.in_week and not unit.mentions):
        yield Candidate(title, phrase.kind, None, unit.line, frozenset({Reason.NO_DATE}), phrase.numbered)
        return
    if mention is None or PAST.search(near):
        return
    listed = listed_after(text, mention, unit.mentions) if own and not phrase.numbered else [mention]
    day, certain = day_in(mention, near)
    sat = bool(SAT.search(phrase.title))
    beside = bool(own) and phrase.end <= mention.start and not any(map(str.isalnum, text[phrase.end : mention.start]))
    entry = beside or unit.entry or (not unit.prose and bool(own) and phrase.start < 4 and not SAYS.search(text))
    alone = phrase.start < 5 and ":" not in text.strip(" :")
    takes_place = (sat or (phrase.kind not in {"assignment", "lab"} and bool(EVENT.search(near)))) and (
        not unit.prose or phrase.numbered
    )
    plain = phrase.strong or phrase.numbered
    held = _held(
        {
            Reason.DUE: unit.reason or due,
            Reason.SAT: takes_place,
            Reason.LISTED: entry and plain,
            Reason.NUMBER: phrase.numbered or bool(_NUMBERED.match(title)),
            Reason.WEEKDAY: mention.weekday == day.weekday() or (certain and mention.first != mention.last),
            Reason.NAME: takes_place and len(title.split()) > 1,
            Reason.HERE: mention.counted,
            Reason.SEVERAL_DAYS: not certain,
            Reason.TWO_DATES: len(own) > len(listed) or (unit.several and not own),
            Reason.OTHER_WEEKDAY: _other_weekday(mention, day, near),
            Reason.RECURRING: bool(RECURRING.search(near)) and not phrase.numbered,
            Reason.MAYBE_TOPIC: not (unit.reason or due or sat or plain or entry or alone)
            or bool(UNGRADED.search(near)),
        }
    ) | _of_line(syllabus, unit, title, day)
    one_of = title.removesuffix("s") if len(listed) > 1 and sat and title.endswith(("ts", "ms")) else None
    for number, each in enumerate([day, *(one.last for one in listed[1:])], 1):
        named = f"{one_of} {number}" if one_of else title
        yield Candidate(named, phrase.kind, each, unit.line, held, phrase.numbered)


def _held(reasons: Mapping[Reason, bool]) -> frozenset[Reason]:
    return frozenset(reason for reason, holds in reasons.items() if holds)


def _of_line(syllabus: Syllabus, unit: Unit, title: str, day: date) -> frozenset[Reason]:
    """The reasons in the line as a whole, and in the calendar."""
    line, mentions = syllabus.lines[unit.line], syllabus.mentions(unit.line)
    begins = line[:SHORT].strip().lower().startswith(title.lower()[:12]) or bool(mentions and mentions[0].start < 6)
    return _held(
        {
            Reason.ENTRY: begins and len(line) < SHORT and len(cleaned(line, mentions)) <= len(title) + 25,
            Reason.HERE: any(one.holds(day) for one in mentions),
            Reason.OUTSIDE_TERM: not syllabus.in_term(day),
            Reason.YEAR: not syllabus.calendar.sure,
        }
    )


def _other_weekday(mention: Mention, day: date, near: str) -> bool:
    """Return whether a weekday other than that of the date is mentioned."""
    if mention.weekday is not None and mention.first == mention.last:
        return mention.weekday != day.weekday()
    named = weekdays_in(near)
    return bool(named) and day.weekday() not in named


def _elided(syllabus: Syllabus, unit: Unit, phrases: Sequence[Phrase]) -> Iterator[Candidate]:
    """Items named only by a number: "the first midterm is on February 23, the second on April 13"."""
    for mention in unit.mentions:
        found = _ORDINAL.search(unit.text[max(0, mention.start - 60) : mention.start])
        named = [phrase for phrase in phrases if phrase.end <= mention.start - len(found[0])] if found else []
        named = named or (phrases_of(unit.before)[-1:] if found else [])
        if found and named:
            title = f"{found['which']} {named[-1].title.split()[-1].removesuffix('s')}"
            reasons = _of_line(syllabus, unit, title, mention.last) | {Reason.NUMBER, Reason.NAME, Reason.LISTED}
            reasons |= {Reason.DUE} if DUE.search(found[0]) else {Reason.SAT} if SAT.search(title) else set()
            yield Candidate(title, named[-1].kind, mention.last, unit.line, reasons, numbered=True)


def _every_week(syllabus: Syllabus, unit: Unit) -> Iterator[Candidate]:
    """The items of "a quiz every Thursday from September 2 to December 2, except on October 7"."""
    said = _EXCEPT.split(unit.text, maxsplit=1)[0]
    begin = unit.mentions[0].start if unit.mentions else 0
    weekdays = weekdays_in(" ".join(one[0] for one in RECURRING.finditer(said, 0, begin)))
    bounds = [one for one in unit.mentions if one.end <= len(said)]
    phrases = [one for one in phrases_of(said) if not weekdays_in(said[: one.start])] or phrases_of(unit.before)
    if len(weekdays) != 1 or not phrases or not 0 < len(bounds) <= 2:
        return
    first, last, off = bounds[0].first, bounds[-1].last, unit.mentions[len(bounds) :]
    day = first + timedelta(days=(min(weekdays) - first.weekday()) % 7)
    while last - first > LONGEST and day <= last:
        if not any(one.holds(day) for one in off):
            yield Candidate(
                phrases[-1].title, phrases[-1].kind, day, unit.line, frozenset({Reason.DUE, Reason.RECURRING})
            )
        day += timedelta(days=7)

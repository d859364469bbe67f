"""The items that one sentence or one cell of a table names."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from courses.syllabi.calendars import Mention
from courses.syllabi.cues import CUE, DUE, NO_ITEM, OPEN, SAYS
from courses.syllabi.due_days import blanked, day_in, due_mention, listed_after, mention_for, week_of
from courses.syllabi.kinds import kind_of
from courses.syllabi.phrases import Phrase, phrases_of
from courses.syllabi.reader import Syllabus
from courses.syllabi.recurring import recurring_days
from courses.syllabi.titles import cleaned, is_title
from courses.syllabi.words import RECURRING, weekdays_in

_TAIL: Final = re.compile(
    r"\s*(?:;|[(:,–—-]?\s*\b(?:opens?|available|submit|tba|tbd|to be (?:announced|determined))\b).*$", re.IGNORECASE
)

_SOMEONE: Final = re.compile(r"\s*(?:you|we|students?|i|the instructor|everyone)\b", re.IGNORECASE)
"""The begin of a sentence that says what someone does."""

_ORDINAL: Final = re.compile(
    r"\b(?:the|der|die|das|le|la|el)\s(?P<which>second|third|fourth|fifth|last|other|zweite\w*|dritte\w*|deuxième"
    r"|troisième|segund[oa]|tercer[oa]?)\b"
    r"(?:\s(?:one|is|are|will be|takes place|due|held|on|by|am|bis|le|el)){0,4}[\s,]*$",
    re.IGNORECASE,
)
_IN_WEEK: Final = re.compile(r"\b(?:week|woche|semaine|semana)\s\d{1,2}\b", re.IGNORECASE)
_WORTH: Final = re.compile(r"\d\s?(?:%|points?\b|pts?\b|punkte\b|puntos\b|marks\b)", re.IGNORECASE)
_NO_NAME: Final = re.compile(
    r"(?:out|released?|opens?|assigned|posted|available|at|by|in|on|before|the|via|through|no|to|dates?|you|we|they|it|all"
    r"|students?|if|when|please|this|these|week|day|today|tonight|midnight|noon)\b",
    re.IGNORECASE,
)
"""Words that no title begins with."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An item that the text seems to name.

    Attributes:
        title: as it is written.
        kind: a value of `ItemKind`.
        due_on: the day, or None where the text leaves it open.
        line: where, from 0.
        confidence: from 0 to 1, how often such a reading is right.
        numbered: whether a number tells it from others of its kind.
        said: the sentence it stands in, where that is not the whole line.
    """

    title: str
    kind: str
    due_on: date | None
    line: int
    confidence: float
    numbered: bool = False
    said: str | None = None


@dataclass(frozen=True, slots=True)
class Clause:
    """A sentence or a cell.

    Attributes:
        text: its words.
        mentions: the dates in it.
        line: where it begins, from 0.
        context: the date that its surroundings give to what has none; None where they give none.
        sure: how sure an item with a clear date is.
        prose: whether it is a sentence of a long line.
        cell: whether it is a cell of a table.
        first: whether it begins its line.
    """

    text: str
    mentions: Sequence[Mention]
    line: int
    context: Mention | None
    sure: float
    prose: bool = False
    cell: bool = False
    first: bool = True


def items_of(syllabus: Syllabus, clause: Clause) -> Iterator[Candidate]:
    """The candidates of a clause, in its order."""
    text, mentions = clause.text, clause.mentions
    phrases = phrases_of(text)
    if not phrases:
        yield from _unnamed(clause)
        return
    if days := recurring_days(syllabus, text, mentions):
        yield from (Candidate(phrases[0].title, phrases[0].kind, day, clause.line, 0.7) for day in days)
        return
    plain = blanked(text, mentions)
    for phrase, piece in zip(phrases, _pieces(text, phrases), strict=True):
        near = plain[piece]
        due = bool(DUE.search(near))
        if NO_ITEM.search(near) and not due:
            continue
        if phrase.against and not _due_after_all(text, phrase, mentions):
            continue
        yield from _items(syllabus, clause, phrases, phrase, near)
    yield from _elided(syllabus, clause, phrases)


def _due_after_all(text: str, phrase: Phrase, mentions: Sequence[Mention]) -> bool:
    """Whether what is handed out or reviewed is also due: at once, or on a later one of several days."""
    following = text[phrase.end :]
    return bool(DUE.match(following.lstrip(" :-,")) or (len(mentions) > 1 and DUE.search(following)))


def _elided(syllabus: Syllabus, clause: Clause, phrases: Sequence[Phrase]) -> Iterator[Candidate]:
    """What a number alone names: "the first midterm is on February 23, the second on April 13"."""
    for mention in clause.mentions:
        found = _ORDINAL.search(clause.text[max(0, mention.start - 60) : mention.start])
        named = [phrase for phrase in phrases if phrase.end <= mention.start]
        if found and named and named[-1].start < mention.start - len(found[0]):
            title = f"{found['which']} {named[-1].title.split()[-1]}"
            sure = clause.sure - 0.3 * (not syllabus.in_term(mention.last))
            yield Candidate(title, named[-1].kind, mention.last, clause.line, sure, numbered=True)


def _unnamed(clause: Clause) -> Iterator[Candidate]:
    """What is due, but called by no word for items: "Team charter due Sept. 11"."""
    cue = DUE.search(clause.text)
    when = due_mention(clause.text, clause.mentions) if clause.mentions else clause.context if clause.cell else None
    if cue is None or when is None or clause.prose or NO_ITEM.search(clause.text):
        return
    title = cleaned(clause.text[: cue.start()], [one for one in clause.mentions if one.end <= cue.start()])
    if is_title(title) and not _NO_NAME.match(title) and (clause.mentions or clause.text[cue.end() :][:1] != ":"):
        day, certain = day_in(when, clause.text)
        yield Candidate(title, kind_of(title, "assignment"), day, clause.line, 0.8 if certain else 0.7)
        return
    dates = [replace(one, start=one.start - cue.end(), end=one.end - cue.end()) for one in clause.mentions]
    title = cleaned(clause.text[cue.end() :], [one for one in dates if one.start >= 0])
    if not title.startswith("(") and is_title(title) and not _NO_NAME.match(title) and title[0].isupper():
        yield Candidate(title, kind_of(title, "assignment"), when.last, clause.line, 0.65)


def _items(
    syllabus: Syllabus, clause: Clause, phrases: Sequence[Phrase], phrase: Phrase, near: str
) -> Iterator[Candidate]:
    """The candidate of one phrase, or one for each of the days that it is said to be on."""
    candidate = _item(syllabus, clause, phrases, phrase, near)
    if candidate is None:
        return
    yield candidate
    if phrase.numbered or candidate.due_on is None:
        return
    mention = next((one for one in clause.mentions if one.last == candidate.due_on and one.start >= phrase.end), None)
    for other in listed_after(clause.text, mention, clause.mentions)[1:] if mention else ():
        yield replace(candidate, due_on=other.last)


def _weekday_after(text: str, phrase: Phrase, near: str) -> str:
    """Where several weekdays are named, the words right after the phrase: "review Tuesday, exam Thursday"."""
    after = text[phrase.end : phrase.end + 25]
    return after if len(weekdays_in(near)) > 1 and len(weekdays_in(after)) == 1 else near


def _item(syllabus: Syllabus, clause: Clause, phrases: Sequence[Phrase], phrase: Phrase, near: str) -> Candidate | None:
    """The candidate of one phrase.

    Args:
        syllabus: for its term.
        clause: where the phrase stands.
        phrases: all of the clause.
        phrase: the one.
        near: the part of the clause that is about it, without dates.
    """
    text = clause.text
    title = _title(clause, phrases, phrase)
    sure = clause.sure if phrase.strong or phrase.numbered or DUE.search(near) else clause.sure - 0.25
    if OPEN.search(near):
        return Candidate(title, phrase.kind, None, clause.line, 0.5 if clause.prose else 0.7, phrase.numbered)
    mention = mention_for(text, phrase, phrases, clause.mentions)
    if mention is not None:
        day, certain = day_in(week_of(text, mention), _weekday_after(text, phrase, near))
        beside = not any(map(str.isalnum, text[phrase.end : mention.start])) and phrase.end <= mention.start
        sure -= 0.3 * (clause.prose and not beside and not DUE.search(near) and not CUE.search(near))
        sure -= 0.2 * bool(_SOMEONE.match(text) and not DUE.search(text) and phrase.start > 0)
        sure = sure if certain else min(sure, 0.75)
        sure -= 0.3 * (mention.weekday is not None and mention.weekday != mention.first.weekday())
        sure -= 0.3 * (not syllabus.in_term(day))
        return Candidate(title, phrase.kind, day, clause.line, sure, phrase.numbered)
    if clause.context is None and DUE.search(near) and _IN_WEEK.search(text) and not RECURRING.search(text):
        return Candidate(title, phrase.kind, None, clause.line, 0.5, phrase.numbered) if phrase.strong else None
    if clause.context is None:
        listed = not clause.prose and clause.first and phrase.numbered and phrase.strong and _begins(text, phrase)
        return Candidate(title, phrase.kind, None, clause.line, 0.4, phrase.numbered) if listed else None
    if SAYS.search(near) and not DUE.search(near):
        return None
    if sure < clause.sure and len(text) > len(phrase.title) + 12:
        sure -= 0.15
    near = _weekday_after(text, phrase, near)
    day, certain = day_in(clause.context, near)
    if clause.context.first == clause.context.last and (named := weekdays_in(near)) and day.weekday() not in named:
        sure = min(sure, 0.5)
    return Candidate(title, phrase.kind, day, clause.line, sure if certain else min(sure, 0.7), phrase.numbered)


def _begins(text: str, phrase: Phrase) -> bool:
    """Whether a line begins with a numbered item, as a list of assignments does, and is no sentence about it."""
    following = text[phrase.end :].lstrip()[:1]
    sentence = SAYS.search(text) or _WORTH.search(text)
    return phrase.start < 4 and phrase.number <= 12 and not following.isalpha() and not sentence


def _pieces(text: str, phrases: Sequence[Phrase]) -> list[slice]:
    """For each phrase the part of the text that is about it: to the next phrase; the first one's from the beginning."""
    starts = [0, *(phrase.start for phrase in phrases[1:])]
    return [slice(*ends) for ends in zip(starts, [*starts[1:], len(text)], strict=True)]


def _title(clause: Clause, phrases: Sequence[Phrase], phrase: Phrase) -> str:
    """The phrase, or all of a short cell or line that has just this one."""
    text = clause.text
    if clause.prose or len(phrases) > 1 or SAYS.search(text):
        return phrase.title
    start = max((one.end for one in clause.mentions if one.end <= phrase.start), default=0)
    end = min((one.start for one in clause.mentions if one.start >= phrase.end), default=len(text))
    whole = cleaned(text[start:end], [])
    whole = cleaned(_TAIL.sub("", whole), []) or whole
    if _SOMEONE.match(whole) or weekdays_in(text[start : phrase.start]):
        return phrase.title
    return whole if is_title(whole) and phrase.title in whole and ". " not in whole else phrase.title

"""The proposal of a syllabus: a course with items and weights, each with its line, for the member's approval."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import islice
from typing import Final
from uuid import UUID

from courses.syllabi.candidates import Candidate, candidates_in, undated_parts
from courses.syllabi.categories import Categories
from courses.syllabi.comparison import STAGES, Match, Stored, Title, matches
from courses.syllabi.course_fields import CourseFields, course_fields
from courses.syllabi.drops import dropped_in
from courses.syllabi.reader import Syllabus
from courses.syllabi.reasons import FITTED, Reason, first_doubt
from courses.syllabi.rows import cells_of
from courses.syllabi.text import comparable, title_key
from courses.syllabi.units import SHORT
from courses.syllabi.warnings import Caution, Claim, cautions_about, too_many
from courses.syllabi.weights import Weight, weights_in
from courses.syllabi.words import NOUN

_ONCE: Final = (frozenset({"final"}), frozenset({"final", "exam"}))
"""Words for work that a course has only once, even without a number."""

LEAST_ALIKE: Final = 2
"""Minimum number of undoubted items in lines of a form before the form counts for the others."""

FEW: Final = 5
"""Undoubted items of a short text, whose lines need not be alike."""

_LISTED: Final = frozenset({Reason.DUE, Reason.HERE, Reason.ENTRY})
"""With these, in lines that are alike, a title of several words is an entry in a list of deadlines."""


def compared_with_others(syllabus: Syllabus, candidates: Sequence[Candidate], graded: Sequence[str]) -> list[Candidate]:
    """The candidates, doubted where lines disagree on one, or where it has no word for a kind of work."""
    titles = [Title.of(one.title) for one in candidates]
    parts = [Title.of(name) for name in graded]
    known = [(one, title) for one, title in zip(candidates, titles, strict=True) if not one.doubted]
    dates = {(title.words, title.numbers, one.due_on) for one, title in known}
    forms = {line: _form(syllabus, line) for line in {one.line for one in candidates}}
    alike = Counter(forms[one.line] for one, _ in known)
    compared = []
    for one, title in zip(candidates, titles, strict=True):
        days = {day for words, numbers, day in dates if numbers == title.numbers and _one_work(words, title.words)}
        reasons = set(one.reasons)
        if (title.numbers or title.words in _ONCE) and len(days) > 1:
            reasons.add(Reason.TWO_DATES)
        is_alike = alike[forms[one.line]] > LEAST_ALIKE
        if is_alike or len(known) <= FEW:
            reasons.add(Reason.ALIKE)
        if any(_same(part.words, title.words) for part in parts):
            reasons.add(Reason.GRADED)
        named = NOUN.search(one.title) or Reason.GRADED in reasons
        if not named and not (is_alike and reasons >= _LISTED and len(title.words | title.numbers) > 1):
            reasons.add(Reason.UNNAMED)
        compared.append(replace(one, reasons=frozenset(reasons)))
    return compared


def _form(syllabus: Syllabus, line: int) -> tuple[int, bool, bool, bool]:
    """The form of a line: its columns, whether a date begins it, whether it has one, and whether it is long."""
    text, mentions = syllabus.lines[line], syllabus.mentions(line)
    return (
        len(cells_of(text)),
        bool(mentions and mentions[0].start < 6),
        bool(mentions),
        len(syllabus.raw[line]) >= SHORT,
    )


def _same(words: frozenset[str], others: frozenset[str]) -> bool:
    """Return whether one title only extends the other: "Assignment 1" and "Assignment 1: sorting"."""
    return bool(words & others) and (words <= others or others <= words)


def _one_work(words: frozenset[str], others: frozenset[str]) -> bool:
    """Return whether it does so without a word for a step or another work: "Essay 3" and "Essay 3 draft" are two."""
    further = (words ^ others) - {"exam"}  # a final is the final exam
    return _same(words, others) and not any(word in STAGES or NOUN.fullmatch(word) for word in further)


MOST_ITEMS: Final = 300
MOST_CATEGORIES: Final = 50
MOST_CANDIDATES: Final = 1_000
"""Including duplicates. Further candidates of a text are not compared."""

MOST_QUOTED: Final = 300
"""Maximum quoted characters of a line."""


@dataclass(frozen=True, slots=True)
class ProposedItem:
    """An item of a proposal.

    Attributes:
        title: its title, at most 160 characters.
        kind: a value of `ItemKind`.
        due_on: its date; None if unknown.
        due_time: its time as `HH:MM`; None without one.
        line: its line number, from 1; None if it is gone.
        quote: that line, or the sentence of a long one, cut to 300 characters; None if it is gone.
        confidence: from 0 to 1; selected from 0.8 on; None if it is gone.
        doubt: a short reason why it is not selected; None if it is selected or gone.
        match: its relation to the items of the course: `new`, `same`, `moved` (with the new date), or `gone`.
        item_id: the item of the course, unless it is new.
        evidence: what the text says of an item of a model, a value of `Evidence`; None for the rules.
        category: the name of its category; None if none fits, or it is gone.
    """

    title: str
    kind: str
    due_on: date | None
    line: int | None
    quote: str | None
    confidence: float | None
    doubt: str | None = None
    match: Match = "new"
    item_id: UUID | None = None
    evidence: str | None = None
    category: str | None = None
    due_time: str | None = None


@dataclass(frozen=True, slots=True)
class ProposedCategory:
    """A category of a proposal.

    Attributes:
        name: its name, at most 60 characters.
        weight: in percent of the grade.
        line: its line number, from 1; 0 for one of a model that the text does not name.
        evidence: what the text says of a category of a model, a value of `Evidence`; None for the rules.
        doubt: a short reason why it is not selected; None if it is.
        drop_lowest: the number of its lowest scores that do not count.
    """

    name: str
    weight: float
    line: int
    evidence: str | None = None
    doubt: str | None = None
    drop_lowest: int = 0


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposal. Empty if nothing was found."""

    course: CourseFields
    items: Sequence[ProposedItem]
    grade_categories: Sequence[ProposedCategory]
    warnings: Sequence[Caution]


Line = tuple[str, str, date | None]
"""A line as compared, with the title and the date of its item."""


def propose(syllabus: Syllabus, stored: Sequence[Stored] = (), unchanged: Collection[Line] = ()) -> Proposal:
    """The proposal of a syllabus, compared with the items of a course.

    Args:
        syllabus: the parsed text.
        stored: the items of the course; those missing from the text are appended as gone.
        unchanged: the lines of the items in the course's text; what the member corrected in them is not proposed back.
    """
    weights = weights_in(syllabus.lines)
    kept = [one for one in candidates_of(syllabus, weights) if one.confidence >= FITTED["least"]]
    items = [_item(syllabus, candidate) for candidate in kept[:MOST_ITEMS]]
    graded = weights[:MOST_CATEGORIES]
    categories = [
        ProposedCategory(one.name, one.weight, one.line + 1, drop_lowest=dropped)
        for one, dropped in zip(graded, dropped_in(syllabus.lines, graded), strict=True)
    ]
    found, course = (len(kept), len(weights)), course_fields(syllabus.lines)
    return compared(
        syllabus, Proposal(course, items, categories, ()), found, stored, lambda item: _line_of(item) in unchanged
    )


def compared(
    syllabus: Syllabus,
    proposal: Proposal,
    found: tuple[int, int],
    stored: Sequence[Stored],
    is_unchanged: Callable[[ProposedItem], bool],
) -> Proposal:
    """A proposal with its warnings and the categories of its items, compared with the items of a course.

    Args:
        syllabus: the parsed text.
        proposal: at most `MOST_ITEMS` items and `MOST_CATEGORIES` categories of it.
        found: the numbers of items and categories before the rest was cut.
        stored: as for `propose`.
        is_unchanged: returns whether the course's text has the line of an item, with its date.
    """
    items, categories = proposal.items, proposal.grade_categories
    known, gone = matches([(item.title, item.due_on) for item in items], stored, [is_unchanged(item) for item in items])
    claims = [Claim(item.title, item.due_on, item.quote) for item in items]
    cautions = cautions_about(syllabus, claims, [category.weight for category in categories])
    for what, count, most in zip(("items", "categories"), found, (MOST_ITEMS, MOST_CATEGORIES), strict=True):
        if count > most:
            cautions.append(too_many(what, count, most))
    names = Categories([category.name for category in categories])
    items = [
        replace(
            item,
            match=match,
            item_id=item_id,
            category=names.named(item.category) or names.of(item.title, item.kind),
        )
        for item, (match, item_id) in zip(items, known, strict=True)
    ]
    items += [
        ProposedItem(one.title, one.kind, one.due_on, None, None, None, None, "gone", one.id, due_time=one.due_time)
        for one in gone
    ]
    return replace(proposal, items=items, warnings=cautions)


def lines_of_items(syllabus: Syllabus) -> frozenset[Line]:
    """The lines of the items of a text."""
    return frozenset(_line_of(item) for item in propose(syllabus).items)


def _line_of(item: ProposedItem) -> Line:
    return comparable(item.quote or ""), title_key(item.title), item.due_on


def candidates_of(syllabus: Syllabus, weights: Sequence[Weight]) -> list[Candidate]:
    """The candidates of a text without doubles, however little speaks for them."""
    graded = [one.name for one in weights]
    found = [*islice(candidates_in(syllabus, graded), MOST_CANDIDATES), *undated_parts(weights)]
    kept = _without_doubles(compared_with_others(syllabus, found, graded))
    days = Counter(one.due_on for one in kept if one.due_on)
    shared = frozenset({Reason.SHARED_DAY})
    return [replace(one, reasons=one.reasons | shared) if one.due_on and days[one.due_on] > 1 else one for one in kept]


def _item(syllabus: Syllabus, candidate: Candidate) -> ProposedItem:
    quote = " ".join((candidate.said or syllabus.quote(candidate.line)).split())[:MOST_QUOTED]
    title = candidate.title[:160].strip()
    title = title[:1].upper() + title[1:]
    confidence, doubt = candidate.confidence, first_doubt(candidate.reasons)
    line, time = candidate.line + 1, candidate.due_time
    return ProposedItem(title, candidate.kind, candidate.due_on, line, quote, confidence, doubt, due_time=time)


def _without_doubles(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Without duplicates: the surest of similar titles on one day; one without a date only if no similar one has a
    date.
    """
    kept: list[tuple[Candidate, Title]] = []
    by_date: dict[date | None, list[int]] = {}
    for candidate in candidates:
        title = Title.of(candidate.title)
        same_day = by_date.setdefault(candidate.due_on, [])
        double = next((at for at in same_day if title.like(kept[at][1])), None)
        if double is None:
            same_day.append(len(kept))
            kept.append((candidate, title))
        elif (candidate.confidence, len(title.words)) > (kept[double][0].confidence, len(kept[double][1].words)):
            kept[double] = candidate, title
    dated = [title for candidate, title in kept if candidate.due_on is not None]
    return [
        candidate
        for candidate, title in kept
        if (candidate.due_on is not None or not any(title.extends(other) or other.extends(title) for other in dated))
    ]

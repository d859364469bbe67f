"""Changes whose undo does most, each with something of all that it touches; each is the newest of its member."""

from collections.abc import Callable, Mapping
from typing import Any

from tests.support.calendar_files import CANVAS, calendar, deadline
from tests.support.entry_points import RestEntryPoint
from tests.support.schools import URL, School, labelled

_PARTS = [{"name": "Quizzes", "weight": 20}, {"name": "Exam", "weight": 50}, {"name": "Lab", "weight": 30}]


def _course(owner: RestEntryPoint) -> Any:
    """A course with items, steps, categories and scores, two of which name items."""
    items = [{"title": f"Part {part['name']}", "kind": "exam", "category": part["name"]} for part in _PARTS]
    course = owner.made("create_course", name="Botany", items=items, grade_categories=_PARTS)
    for item, category in zip(course["items"][1:], course["grade_categories"][1:], strict=True):
        owner.made("create_milestone", item_id=item["id"], title="Outline", more=[{"title": "Draft"}])
        score = {"category_id": category["id"], "label": "Part", "score": 80}
        owner.made("add_grade_score", course_id=course["id"], **score, item_id=item["id"])
        owner.made("add_grade_score", course_id=course["id"], **score)
    return course


def _deck(owner: RestEntryPoint, **fields: Any) -> Any:
    """A deck whose cards were reviewed."""
    cards = [{"term": f"Leaf {number}", "definition": "Green"} for number in range(3)]
    deck = owner.made("create_vocab_deck", name="Leaves", cards=cards, **fields)
    for card in deck["cards"]:
        owner.made("review_vocab_card", card_id=card["id"], rating="good")
    return deck


def delete_course(owner: RestEntryPoint, school: School) -> None:
    """Delete a course with everything below it; its deck stays."""
    course = _course(owner)
    _deck(owner, course_id=course["id"])
    owner.made("delete_course", course_id=course["id"])


def delete_vocab_deck(owner: RestEntryPoint, school: School) -> None:
    """Delete a deck with cards and reviews."""
    owner.made("delete_vocab_deck", deck_id=_deck(owner)["id"])


def review_vocab_card(owner: RestEntryPoint, school: School) -> None:
    """Answer a card of a deck."""
    _deck(owner)


def set_grade_categories(owner: RestEntryPoint, school: School) -> None:
    """Change one category, leave two with scores out, and add another."""
    course = _course(owner)
    categories = [{**course["grade_categories"][0], "weight": 40}, {"name": "Paper", "weight": 60}]
    owner.made("set_grade_categories", course_id=course["id"], categories=categories)


def import_calendar(owner: RestEntryPoint, school: School) -> None:
    """Import a file that moves two deadlines and has two more."""
    course = owner.made("create_course", name="Zoology")
    for day, number in (("20301203", 2), ("20301204", 4)):
        file = calendar(CANVAS, *(deadline(f"e{one}", day, f"Essay {one}") for one in range(number)))
        owner.made("import_calendar", course_id=course["id"], file=file)


def read_school_calendar(owner: RestEntryPoint, school: School) -> None:
    """Read a school's calendar that moves two deadlines and has two more."""
    owner.made("create_course", name="Ecology")
    school.has(*_lectures("20301203", 2))
    added = owner.made("add_school_calendar", url=URL, accept=True)
    school.has(*_lectures("20301204", 4))
    owner.made("refresh_school_calendar", calendar_id=added["id"])


def _lectures(day: str, number: int) -> list[str]:
    return [labelled(f"l{one}", day, f"Report {one}", "Ecology") for one in range(number)]


UNDOABLE: Mapping[str, Callable[[RestEntryPoint, School], None]] = {
    made.__name__: made
    for made in (
        delete_course,
        delete_vocab_deck,
        review_vocab_card,
        set_grade_categories,
        import_calendar,
        read_school_calendar,
    )
}
"""By the name of the change."""

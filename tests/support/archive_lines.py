"""Lines of archives: one of each kind, consistent with each other."""

import hashlib
from typing import Any

from tests.support.archives import COURSE_ID, THEN, a_course

EMPTY_PDF = hashlib.sha256(b"%P").hexdigest()


def an_id(number: int) -> str:
    return f"00000000-0000-7000-8000-{number:012d}"


def an_item(**fields: Any) -> dict[str, Any]:
    stamps = {"created_at": THEN, "updated_at": THEN}
    made = {"id": an_id(1), "course_id": COURSE_ID, "title": "Midterm", "kind": "exam", "due_on": None, "sequence": 0}
    ends = {"done": False, "done_at": None, "category_id": None, "note": None, "missable_from": "2026-09-01"}
    return made | ends | stamps | fields


def a_deck(**fields: Any) -> dict[str, Any]:
    return {"id": an_id(2), "name": "Words", "course_id": None, "created_at": THEN, "updated_at": THEN} | fields


def a_card(**fields: Any) -> dict[str, Any]:
    made = {"id": an_id(3), "deck_id": an_id(2), "position": 1, "term": "a", "definition": "b", "state": "new"}
    memory = {"step": 0, "stability": None, "difficulty": None, "due_at": THEN, "last_reviewed_at": None}
    return made | memory | {"reps": 0, "lapses": 0, "suspended": False} | fields


def a_review(**fields: Any) -> dict[str, Any]:
    made = {"id": an_id(4), "card_id": an_id(3), "rating": "good", "reviewed_at": THEN, "duration_ms": None}
    by = dict.fromkeys(("by_kind", "by_id", "by_name"))
    memory = {"state": "new", "step": 0, "stability": None, "difficulty": None, "due_at": THEN}
    return made | by | memory | {"desired_retention": 0.9, "last_reviewed_at": None} | fields


def an_attempt(**fields: Any) -> dict[str, Any]:
    made = {"id": an_id(5), "source": "vocab", "topic": "Words", "deck_id": None, "course_id": None, "correct": True}
    return made | {"attempted_at": THEN, "day": "2026-09-01", "is_first": False, "foretold": None} | fields


def a_milestone(**fields: Any) -> dict[str, Any]:
    stamps = {"created_at": THEN, "updated_at": THEN}
    made = {"id": an_id(6), "item_id": an_id(1), "title": "Outline", "due_on": None, "done": False, "position": 1}
    return made | {"sequence": 0} | stamps | fields


def an_event(**fields: Any) -> dict[str, Any]:
    made = {"id": an_id(7), "course_id": COURSE_ID, "item_id": an_id(1), "uid": "u", "instance": "", "prodid": ""}
    return made | {"calendar_id": None, "title": "Essay", "due_on": "2026-12-03"} | fields


def a_category(**fields: Any) -> dict[str, Any]:
    return {
        "id": an_id(8),
        "course_id": COURSE_ID,
        "name": "Exams",
        "weight": 50,
        "drop_lowest": 0,
        "position": 1,
    } | fields


def a_score(**fields: Any) -> dict[str, Any]:
    made = {"id": an_id(9), "category_id": an_id(8), "item_id": None, "label": "Quiz", "score": 80}
    return made | {"points": None, "out_of": None, "created_at": THEN} | fields


def a_file(**fields: Any) -> dict[str, Any]:
    made = {"id": an_id(10), "course_id": COURSE_ID, "file": "files/x", "filename": "x", "created_at": THEN}
    read = {"text_status": "no_text", "text": None, "characters": 0, "pages": None}
    return made | read | {"media_type": "application/pdf", "size": 2, "sha256": EMPTY_PDF} | fields


LEARNING = {"state": "learning", "step": 1, "stability": 2.3, "difficulty": 2.1, "last_reviewed_at": THEN, "reps": 1}
REVIEWED = {"state": "review", "step": None, "stability": 4.5, "difficulty": 5.5, "last_reviewed_at": THEN, "reps": 1}
"""A card's state after reviews."""

WHOLE: dict[str, list[Any]] = {
    "courses": [a_course()],
    "items": [an_item()],
    "milestones": [a_milestone()],
    "imported_events": [an_event()],
    "grade_categories": [a_category()],
    "grade_scores": [a_score()],
    "decks": [a_deck()],
    "cards": [a_card(**LEARNING | {"reps": 2})],
    "reviews": [a_review()],
    "attempts": [an_attempt(id=an_id(4), deck_id=an_id(2), course_id=COURSE_ID)],
}
"""A valid archive with lines of nearly every kind."""

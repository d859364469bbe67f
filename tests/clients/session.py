"""A session with the Python client of `make clients`. Prints its results as JSON."""

import json
from datetime import UTC, date, datetime
from uuid import UUID

from study_data_service_client import Refused, Study
from study_data_service_client.api.courses import create_course
from study_data_service_client.models import CategoryBody, NewCourseBody
from study_data_service_client.types import UNSET, Unset

study = Study()


def current_grade(course_id: UUID) -> tuple[float | None, str | None]:
    """The grade after one score of 84.5."""
    made = study.set_grade_categories(course_id, categories=[CategoryBody(name="Quizzes", weight=40)])
    study.add_grade_score(course_id, category_id=made.categories[0].id, label="Quiz 1", score=84.5)
    grades = study.get_grades(course_id)
    return grades.current_grade, grades.letter_grade


def refusal(course_id: UUID) -> str:
    """The error of getting a deleted course."""
    try:
        study.get_course(course_id)
    except Refused as refused:
        return str(refused.type)
    raise AssertionError(course_id)


def main() -> None:
    """Create, poll, plan, grade, learn and delete, then get the deleted course."""
    name, key = "Cell Biology", "8e03978e-40d5-43dd-bc93-6894a57f9324"
    course = study.create_course(name=name, idempotency_key=key)
    again = create_course.sync_detailed(
        client=study.client, body=NewCourseBody(name=name, term=UNSET), idempotency_key=key
    )
    assert (again.parsed, again.headers["Idempotency-Replayed"]) == (course, "true")
    item = study.create_item(course.id, title="Midterm", kind="exam", due_on=date(2030, 1, 31))
    for title in ("Quiz", "Essay"):
        study.create_item(course.id, title=title, due_on="2030-02-28")

    step = study.create_milestone(item.id, title="Outline")
    done = study.update_milestone(step.id, done=True)

    deck = study.create_vocab_deck(name="Organelles", cards=[{"term": "ATP", "definition": "Energy"}])
    assert not isinstance(deck.cards, Unset)
    card = study.review_vocab_card(deck.cards[0].id, rating="good")

    saw = {
        "term": course.term,
        "kind": item.kind,
        "polled": [found.title for found in study.list_items(created_after=datetime(2020, 1, 1, tzinfo=UTC), limit=2)],
        "done": done.done,
        "grade": current_grade(course.id),
        "card": card.state,
        "deleted": study.delete_course(course.id).deleted,
        "error": refusal(course.id),
    }
    print(json.dumps(saw))  # noqa: T201  # read by the test


main()

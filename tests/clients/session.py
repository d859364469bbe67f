"""A session with the client that openapi-python-client generates, as `study_client`; tells what it saw as JSON."""

import json
import os
from datetime import UTC, date, datetime
from typing import TypeVar
from uuid import UUID

from study_client import AuthenticatedClient
from study_client.api.courses import create_course, delete_course, get_course
from study_client.api.grades import add_grade_score, get_grades, set_grade_categories
from study_client.api.items import create_item, list_items
from study_client.api.planning import create_milestone, update_milestone
from study_client.api.vocabulary import create_vocab_deck, review_vocab_card
from study_client.models import (
    CardBody,
    CategoriesBody,
    CategoryBody,
    CreatedCourse,
    CreatedItem,
    Deck,
    DeckBody,
    Deleted,
    ErrorEnvelope,
    GradeBreakdown,
    GradeScore,
    Item,
    ItemPage,
    Milestone,
    MilestoneBody,
    NewCourseBody,
    NewItemBody,
    NewItemBodyKind,
    PatchedMilestoneChanges,
    ReviewBody,
    ReviewBodyRating,
    ScoreBody,
)
from study_client.types import UNSET, Unset

client = AuthenticatedClient(base_url=os.environ["STUDY_URL"], token=os.environ["STUDY_API_KEY"])

T = TypeVar("T")


def got(kind: type[T], answer: object) -> T:
    """The answer, which must be of this kind."""
    assert isinstance(answer, kind), answer
    return answer


def polled(since: datetime) -> list[str]:
    """The titles of what is new, page by page."""
    titles: list[str] = []
    cursor: str | Unset = UNSET
    while True:
        answer = list_items.sync(client=client, created_after=since, limit=2, cursor=cursor)
        page = got(ItemPage, answer)
        titles += [item.title for item in page.data]
        if page.next_cursor is None:
            return titles
        cursor = page.next_cursor


def current_grade(course_id: UUID) -> tuple[float | None, str | None]:
    """The grade after one score of 84.5."""
    quizzes = CategoriesBody(categories=[CategoryBody(name="Quizzes", weight=40)])
    made = got(GradeBreakdown, set_grade_categories.sync(course_id, client=client, body=quizzes))
    score = ScoreBody(category_id=made.categories[0].id, label="Quiz 1", score=84.5)
    got(GradeScore, add_grade_score.sync(course_id, client=client, body=score))
    grades = got(GradeBreakdown, get_grades.sync(course_id, client=client))
    return grades.current_grade, grades.letter_grade


def main() -> None:
    """Create, poll, plan, grade, learn, delete; then ask for what is gone."""
    biology, key = NewCourseBody(name="Cell Biology"), "8e03978e-40d5-43dd-bc93-6894a57f9324"
    course = got(CreatedCourse, create_course.sync(client=client, body=biology, idempotency_key=key))
    again = create_course.sync_detailed(client=client, body=biology, idempotency_key=key)
    assert (again.parsed, again.headers["Idempotency-Replayed"]) == (course, "true")
    exam = NewItemBody(title="Midterm", kind=NewItemBodyKind.EXAM, due_on=date(2030, 1, 31))
    item = got(CreatedItem, create_item.sync(course.id, client=client, body=exam))
    for title in ("Quiz", "Essay"):
        got(CreatedItem, create_item.sync(course.id, client=client, body=NewItemBody(title=title)))

    step = got(Milestone, create_milestone.sync(item.id, client=client, body=MilestoneBody(title="Outline")))
    done = got(Milestone, update_milestone.sync(step.id, client=client, body=PatchedMilestoneChanges(done=True)))

    cards = [CardBody(term="ATP", definition="Energy")]
    deck = got(Deck, create_vocab_deck.sync(client=client, body=DeckBody(name="Organelles", cards=cards)))
    assert not isinstance(deck.cards, Unset)
    card = review_vocab_card.sync(deck.cards[0].id, client=client, body=ReviewBody(rating=ReviewBodyRating.GOOD))

    unknown = Item.from_dict(item.to_dict() | {"kind": "seminar"})

    saw = {
        "term": course.term,
        "kinds": [item.kind, unknown.kind],
        "polled": polled(datetime(2020, 1, 1, tzinfo=UTC)),
        "done": done.done,
        "grade": current_grade(course.id),
        "card": None if card is None or isinstance(card, ErrorEnvelope) else card.state.value,
        "deleted": got(Deleted, delete_course.sync(course.id, client=client)).deleted,
        "error": got(ErrorEnvelope, get_course.sync(course.id, client=client)).error.type_,
    }
    print(json.dumps(saw))  # noqa: T201  # read by the test


main()

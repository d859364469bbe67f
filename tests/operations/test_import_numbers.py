"""import_data: every number has bounds, and a card's counts match its review log."""

from typing import Any

import pytest
from rest_framework import serializers

from accounts.members.profile import ProfileLine
from studyservice.archive.tables import ExactField, archive_tables
from studyservice.operations.fields import NumberField
from tests.conftest import MakeMember, OpenEntryPoint
from tests.support.archive_lines import (
    LEARNING,
    REVIEWED,
    WHOLE,
    a_card,
    a_category,
    a_file,
    a_milestone,
    a_review,
    a_score,
    an_attempt,
    an_id,
    an_item,
)
from tests.support.archives import PROFILE, a_course, parts, zipped
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.world import rows

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.rest,
    pytest.mark.database("sqlite", "reads files"),
    pytest.mark.usefixtures("files"),
]

RELEARNING = REVIEWED | {"state": "relearning", "step": 0}
MOST = 1_000_000_000


def log(card: dict[str, Any]) -> dict[str, Any]:
    """The fields of a review line that describe the card before it."""
    return {name: value for name, value in card.items() if name != "reps"}


BOUNDS: dict[tuple[str, str], tuple[dict[str, Any], float, float]] = {
    ("profile", "desired_retention"): (PROFILE, 0.7, 0.99),
    ("profile", "new_cards_a_day"): (PROFILE, 0, 500),
    ("profile", "seconds"): (PROFILE, 0, 120),
    ("profile", "seconds_reviews"): (PROFILE, 0, MOST),
    ("courses", "hue"): (a_course(), 0, 11),
    ("syllabus_files", "size"): (a_file(), 0, MOST),
    ("syllabus_files", "characters"): (a_file(), 0, 500_000),
    ("syllabus_files", "pages"): (a_file(), 0, 100),
    ("items", "sequence"): (an_item(), 0, MOST),
    ("milestones", "position"): (a_milestone(), 1, MOST),
    ("milestones", "sequence"): (a_milestone(), 0, MOST),
    ("grade_categories", "weight"): (a_category(), 0, 100),
    ("grade_categories", "drop_lowest"): (a_category(), 0, 20),
    ("grade_categories", "position"): (a_category(), 1, MOST),
    ("grade_scores", "score"): (a_score(), 0, 150),
    ("grade_scores", "points"): (a_score(points=16, out_of=20), 0, 150_000),
    ("grade_scores", "out_of"): (a_score(points=16, out_of=20), 0, 100_000),
    ("cards", "position"): (a_card(**LEARNING), 1, MOST),
    ("cards", "step"): (a_card(**LEARNING), 0, 1),
    ("cards", "stability"): (a_card(**LEARNING), 0.001, 1_000_000),
    ("cards", "difficulty"): (a_card(**LEARNING), 1, 10),
    ("cards", "reps"): (a_card(**LEARNING), 1, 1_000_001),  # the log contains one of them
    ("cards", "lapses"): (a_card(**LEARNING), 0, 1_000_000),
    ("reviews", "step"): (a_review(**log(LEARNING)), 0, 1),
    ("reviews", "stability"): (a_review(**log(LEARNING)), 0.001, 1_000_000),
    ("reviews", "difficulty"): (a_review(**log(LEARNING)), 1, 10),
    ("reviews", "duration_ms"): (a_review(), 0, 3_600_000),
    ("reviews", "desired_retention"): (a_review(), 0.7, 0.99),
    ("attempts", "foretold"): (an_attempt(), 0, 1_000_000_000),
}
"""A line with the number, and its minimum and maximum."""


def archive(**tables: list[Any]) -> bytes:
    """The complete archive with these tables."""
    return zipped(parts(**WHOLE | tables))


def messages(owner: RestEntryPoint, content: bytes) -> list[str]:
    """The error of each line, after checking that nothing changed."""
    before = rows()
    answer = owner.call("import_data", file=content)
    assert (answer.error, rows()) == ("validation_failed", before), answer.body
    return [detail["message"] for detail in answer.body["details"]]


def test_every_number_has_bounds() -> None:
    lines = {"profile": ProfileLine} | {table.name: table.line for table in archive_tables()}
    numeric = (serializers.IntegerField, NumberField, ExactField)
    found = {
        (name, field)
        for name, line in lines.items()
        for field, declared in line.shared(partial=False).fields.items()
        if isinstance(declared, numeric)
    }
    assert found == BOUNDS.keys()


@each("side", ["below", "above"])
@each("number", BOUNDS)
def test_a_number_out_of_bounds_is_named(owner: RestEntryPoint, number: tuple[str, str], side: str) -> None:
    table, field = number
    line, least, most = BOUNDS[number]
    step = 1 if isinstance(least, int) else 0.0001
    wrong = line | {field: least - step if side == "below" else most + step}
    content = zipped(parts(profile=wrong, **WHOLE)) if table == "profile" else archive(**{table: [wrong]})
    [message] = messages(owner, content)
    assert message.startswith(f"data/{table}.jsonl, line 1: {field}: Must be ")


@pytest.mark.database("both")
def test_an_account_with_the_greatest_numbers_keeps_working(owner: RestEntryPoint) -> None:
    """Counters that continue from them stay within the range of the database."""
    greatest = {"position": MOST, "reps": 1_000_001, "lapses": 1_000_000, "stability": 1_000_000, "difficulty": 10}
    content = archive(
        items=[an_item(sequence=MOST)],
        milestones=[a_milestone(position=MOST, sequence=MOST)],
        grade_categories=[a_category(position=MOST)],
        cards=[a_card(**REVIEWED | greatest)],
    )
    owner.made("import_data", file=content)
    [item], [deck] = owner.made("list_items")["data"], owner.made("list_vocab_decks")["data"]
    owner.made("update_item", item_id=item["id"], title="Later")
    owner.made("create_milestone", item_id=item["id"], title="Next")
    owner.made("add_vocab_cards", deck_id=deck["id"], cards=[{"term": "c", "definition": "d"}])
    [shown] = owner.made("list_vocab_decks", deck_id=deck["id"], include_cards=True)["data"]
    card = next(card for card in shown["cards"] if card["term"] == "a")
    again = owner.made("review_vocab_card", card_id=card["id"], rating="easy")
    assert (again["reps"], again["stability"]) == (1_000_002, 1_000_000)


AGAIN = a_review(**log(REVIEWED), id=an_id(41), rating="again")
"""The only answer that is a lapse."""

UNFIT: dict[str, tuple[list[Any], list[Any], str]] = {
    "fewer reps than reviews": (
        [a_card(id=an_id(30)), a_card(**LEARNING | {"reps": 1})],
        [a_review(), a_review(id=an_id(40))],
        "line 2: reps: Must be at least 2, as data/reviews.jsonl has 2.",
    ),
    "no reps": ([a_card(**LEARNING | {"reps": 0})], [a_review()], "line 1: reps: Must be at least 1, as "),
    "fewer lapses than reviews": (
        [a_card(**RELEARNING | {"reps": 2, "lapses": 0})],
        [AGAIN, a_review(**log(LEARNING), id=an_id(40), rating="again")],
        "line 1: lapses: Must be at least 1, as ",
    ),
    "far more reps than reviews": (
        [a_card(**LEARNING | {"reps": 1_000_003})],
        [a_review(), a_review(id=an_id(40))],
        "line 1: reps: Must be at most 1000002, as ",
    ),
    "a new card with reps": ([a_card(reps=1)], [], "line 1: reps: Must be 0 in the state new."),
    "a new card with lapses": ([a_card(lapses=1)], [], "line 1: lapses: Must be 0 in the state new."),
    "a step of a new card": ([a_card(step=1)], [], "line 1: step: Must be at most 0 in the state new."),
    "a step that is not there": (
        [a_card(**RELEARNING | {"step": 1})],
        [],
        "line 1: step: Must be at most 0 in the state relearning.",
    ),
}


@each("kind", UNFIT)
def test_a_cards_counts_match_its_log(owner: RestEntryPoint, kind: str) -> None:
    cards, reviews, expected = UNFIT[kind]
    [message] = messages(owner, archive(cards=cards, reviews=reviews, attempts=[]))
    assert message.startswith(f"data/cards.jsonl, {expected}"), message


def the_card(entry_point: RestEntryPoint) -> dict[str, Any]:
    [deck] = entry_point.made("list_vocab_decks")["data"]
    [shown] = entry_point.made("list_vocab_decks", deck_id=deck["id"], include_cards=True)["data"]
    [card] = shown["cards"]
    return dict(card)


def test_reviews_without_a_log_are_accepted(
    owner: RestEntryPoint, make_member: MakeMember, entry_point: OpenEntryPoint
) -> None:
    """Cards from Anki have them, and an archive of such an account must be importable."""
    counts = {"reps": 1_000_000, "lapses": 12}
    owner.made("import_data", file=archive(cards=[a_card(**REVIEWED | counts)], reviews=[], attempts=[]))
    card = the_card(owner)
    assert {name: card[name] for name in counts} == counts
    owner.made("review_vocab_card", card_id=card["id"], rating="again")
    newcomer = entry_point(make_member("new@example.org"))
    assert newcomer.call("import_data", file=owner.made("export_data")).error is None
    there = the_card(newcomer)
    assert (there["reps"], there["lapses"]) == (1_000_001, 13)

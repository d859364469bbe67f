"""create_course: POST /v1/courses."""

from unittest.mock import ANY

import pytest

from tests.doors import RestDoor


def test_it_creates(owner: RestDoor) -> None:
    answer = owner.call("create_course", name="  Cell Biology ", code="BIO 210")
    assert answer.body == {
        "id": ANY,
        "name": "Cell Biology",
        "code": "BIO 210",
        "term": "Fall semester",
        "meets": None,
        "institution": None,
        "subject": None,
        "has_syllabus": False,
        "created_at": ANY,
        "updated_at": ANY,
    }


@pytest.mark.django_db(transaction=True)
def test_parallel_creates_stop_at_the_limit(owner: RestDoor, in_threads) -> None:
    for number in range(29):
        owner.made("create_course", name=f"Course {number}")
    answers = in_threads(lambda n: owner.call("create_course", name=f"New {n}").error, list(range(24)))
    assert sorted(map(str, answers)) == ["None"] + ["conflict"] * 23
    assert len(owner.made("list_courses")["data"]) == 30

"""Answers of thousands of rows are written in pieces to save memory."""

import tracemalloc
from datetime import UTC, date, datetime
from typing import Any
from uuid import uuid4

import pytest

from accounts.models import Member
from studyservice.http.bodies import json_response
from studyservice.operations.codec import PIECE, encode
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.factories import CourseFactory, ItemFactory, stored

pytestmark = pytest.mark.same_statements


def record(entries: int) -> dict[str, Any]:
    """A record with a list of distinct titles in four-byte UTF-8 characters."""
    whole_second = datetime(2026, 11, 22, tzinfo=UTC)
    rows = [{"id": uuid4(), "title": f"{n}" + chr(127891) * 160, "created_at": whole_second} for n in range(entries)]
    return {"today": date(2026, 11, 22), "none": [], "items": rows, "more": {"few": [1, 2]}}


@each("entries", [0, 1, PIECE, PIECE + 1, 2 * PIECE, 2 * PIECE + 1])
def test_the_pieces_form_the_same_text(entries: int) -> None:
    value = record(entries)
    text = encode(value)
    response = json_response(value)
    assert response.content == text
    assert response.headers["Content-Length"] == str(len(text))


def test_it_needs_little_more_memory_than_its_text() -> None:
    """Neither the text nor its UTF-8 exists twice."""
    value = record(10 * PIECE)
    tracemalloc.start()
    try:
        response = json_response(value)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1.5 * int(response.headers["Content-Length"])


@pytest.mark.rest
@pytest.mark.django_db
def test_a_long_agenda_is_returned_complete(owner: RestEntryPoint, owner_member: Member) -> None:
    course = CourseFactory.create(member=owner_member)
    items = stored(ItemFactory, 2 * PIECE + 1, member=owner_member, course=course, due_on=owner_member.today())
    agenda = owner.made("get_agenda")
    assert {item["id"] for item in agenda["items"]} == {str(item.id) for item in items}
    assert len(agenda["items"]) == len(items)

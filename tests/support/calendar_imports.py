"""Imports of calendar files in tests."""

from typing import Any

from tests.support.calendar_files import CANVAS, calendar
from tests.support.entry_points import RestEntryPoint
from tests.support.uploads import multipart

FORM = "multipart/form-data; boundary=BoUnDaRyStRiNg"


def import_file(owner: RestEntryPoint, course: Any, file: bytes, query: str = "") -> Any:
    """Import a file into a course. Return the answer."""
    path = f"/v1/courses/{course['id']}/calendar{query}"
    response = owner.client.post(path, multipart(file), content_type=FORM)
    assert response.status_code == 200, response.content
    return response.json()


def import_events(owner: RestEntryPoint, course: Any, *events: str, prodid: str = CANVAS) -> Any:
    """Import a file with these events. Return the answer."""
    return import_file(owner, course, calendar(prodid, *events))


def dates_of(owner: RestEntryPoint) -> list[tuple[str, str]]:
    """Titles and dates of the owner's items, soonest first."""
    return [(item["title"], item["due_on"]) for item in owner.made("list_items", limit=100)["data"]]

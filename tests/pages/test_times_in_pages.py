"""Timestamps in pages follow the HTML standard (section 2.3.5.8): at most three fractional digits."""

import re

import pytest
from django.test import Client

from accounts.models import Member
from tests.support.entry_points import RestEntryPoint
from tests.support.factories import AccountEventFactory, stored

pytestmark = [pytest.mark.database("sqlite", "page layout"), pytest.mark.django_db, pytest.mark.rest]

_VALID = re.compile(r"\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:?\d{2}))?")


def test_every_time_on_a_page_is_valid(owner: RestEntryPoint, owner_member: Member, client: Client) -> None:
    course = owner.made("create_course", name="Biology")
    owner.made("delete_course", course_id=course["id"])
    owner.made("undo_change", change_id=owner.made("list_changes", limit=1)["data"][0]["id"])
    owner.made("create_item", course_id=course["id"], title="Midterm", due_on="2031-01-02")
    stored(AccountEventFactory, 1, member=owner_member)
    client.force_login(owner_member)
    pages = ["/keys", "/activity", "/account", "/courses", f"/courses/{course['id']}"]
    found = {page: re.findall(r'datetime="([^"]*)"', client.get(page).content.decode()) for page in pages}
    assert {page for page, times in found.items() if times} >= {"/keys", "/activity", f"/courses/{course['id']}"}
    assert {page: [time for time in times if not _VALID.fullmatch(time)] for page, times in found.items()} == (
        dict.fromkeys(pages, [])
    )

"""A week with more than a page holds: at most so many rows of a day, with links to the rest."""

import re
from datetime import date, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.support.entry_points import RestEntryPoint
from tests.support.factories import CourseFactory, ItemFactory, MilestoneFactory, stored_for_each

pytestmark = [pytest.mark.rest, pytest.mark.django_db, pytest.mark.same_statements]

TODAY = date(2026, 11, 21)


@pytest.fixture(autouse=True)
def _today(time_machine: Any) -> None:
    time_machine.move_to(f"{TODAY}T12:00:00Z")


def add(owner: RestEntryPoint, course: Any, number: int, days: int, title: str = "Sheet") -> Any:
    """Add items that are due `days` after today."""
    due_on = str(TODAY + timedelta(days=days))
    entries = [{"title": f"{title} {n}", "due_on": due_on} for n in range(number)]
    return owner.made("create_item", course_id=course["id"], **entries[0], more=entries[1:])


def page_of(browser: Client, path: str = "/") -> str:
    return " ".join(browser.get(path).content.decode().split())


def sections(page: str) -> dict[str, str]:
    """The parts of the list by the id of their heading."""
    due = page.partition('aria-label="Due this week"')[2].partition("</section>")[0]
    parts = re.split(r'<h2 class="day[^"]*" id="([^"]+)">', due)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def rows(part: str) -> int:
    return part.count("<details")


def test_a_day_shows_twelve_and_a_link_to_the_rest(browser: Client, owner: RestEntryPoint, course: Any) -> None:
    add(owner, course, 12, 1)
    add(owner, course, 15, 2)
    found = sections(page_of(browser))
    assert rows(found["d2026-11-22"]) == rows(found["d2026-11-23"]) == 12
    assert "more on" not in found["d2026-11-22"]
    assert re.search(r'<a href="[^"]+">3 more on Mon 23 Nov</a>', found["d2026-11-23"])


def test_overdue_shows_twenty_and_a_link_to_the_rest(
    browser: Client, owner: RestEntryPoint, course: Any, time_machine: Any
) -> None:
    """Items and milestones in one section, oldest first."""
    item = add(owner, course, 10, 1)["items"][0]
    for n in range(15):
        due_on = str(TODAY - timedelta(days=n))
        owner.made("create_milestone", item_id=item["id"], title=f"Step {n}", due_on=due_on)
    time_machine.move_to("2026-11-23T12:00:00Z")
    found = sections(page_of(browser))["overdue"]
    assert rows(found) == 20
    titles = re.findall("<strong>(.*?)</strong>", found)
    assert titles == [f"Step {n}" for n in range(14, -1, -1)] + [f"Sheet {n}" for n in range(5)]
    [rest] = re.findall('<a href="([^"]+)">5 more overdue</a>', found)
    page = page_of(browser, rest)
    assert rows(sections(page)["overdue"]) == 25
    assert '<input type="hidden" name="next" value="/?overdue=all">' in page, "a tick comes back here"


def test_what_is_ticked_in_overdue_makes_room(
    browser: Client, owner: RestEntryPoint, course: Any, time_machine: Any
) -> None:
    item = add(owner, course, 21, 1)["items"][0]
    time_machine.move_to("2026-11-23T12:00:00Z")
    browser.post(f"/items/{item['id']}/done", {"done": "true"})
    found = sections(page_of(browser))["overdue"]
    assert (rows(found), "more overdue" in found) == (20, False)


def test_steps_without_a_date_show_twelve(browser: Client, owner: RestEntryPoint, course: Any) -> None:
    item = add(owner, course, 1, 3)
    steps = [{"title": f"Step {n}"} for n in range(14)]
    owner.made("create_milestone", item_id=item["id"], **steps[0], more=steps[1:])
    found = sections(page_of(browser))["undated"]
    assert (rows(found), "2 more without a date" in found) == (12, True)


@pytest.mark.database("both")
def test_a_full_account_has_a_small_page_in_few_statements(
    browser: Client, owner: RestEntryPoint, owner_member: Any
) -> None:
    """5,000 items and as many milestones in 30 courses, many of them overdue, with long names."""
    courses = [
        CourseFactory.create(member=owner_member, name=f"{n} {'Biology of plants ' * 6}"[:120]) for n in range(30)
    ]
    days = [TODAY + timedelta(days=n % 40 - 10) for n in range(5000)]
    columns: dict[str, list[Any]] = {
        "member": [owner_member] * 5000,
        "title": [f"{n} {'Problem set on chapters ' * 7}"[:160] for n in range(5000)],
        "due_on": days,
    }
    of_items: dict[str, list[Any]] = {"course": [courses[n % 30] for n in range(5000)], "missable_from": days}
    items = stored_for_each(ItemFactory, columns | of_items)
    stored_for_each(MilestoneFactory, columns | {"item": items})
    browser.get("/")
    for path in ("/", "/?minutes=120", "/?overdue=all"):
        with CaptureQueriesContext(connection) as statements:
            content = browser.get(path).content
        assert len(content) < 100_000, path
        told = [one["sql"] for one in statements if not one["sql"].startswith(("SAVEPOINT", "RELEASE"))]
        assert len(told) <= 8, told
        found = sections(" ".join(content.decode().split()))
        assert list(found) == ["overdue", *(f"d{TODAY + timedelta(days=n)}" for n in range(7))]
        assert rows(found["overdue"]) == (40 if path.endswith("all") else 20)
        assert all("more on" in part for day, part in found.items() if day != "overdue")

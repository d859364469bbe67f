"""A month as a table of weeks, with the items of each day."""

import re
from datetime import date
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import Member
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.factories import CourseFactory, ItemFactory, stored_for_each

pytestmark = [pytest.mark.rest, pytest.mark.django_db]


@pytest.fixture(autouse=True)
def _now(time_machine: Any) -> None:
    time_machine.move_to("2026-11-28T12:00:00Z")


def page_of(browser: Client, month: str) -> str:
    response = browser.get(f"/upcoming/{month}")
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def cells(page: str) -> list[list[str]]:
    """The numbers of the days by week, empty outside the month."""
    weeks = page.partition("<tbody")[2].split("<tr>")[1:]
    return [
        [
            "".join(re.findall(r"<time[^>]+>(?:<span>[^<]*</span>)?(\d+)", cell))
            for cell in re.findall(r"<td.*?</td>", week)
        ]
        for week in weeks
    ]


def titles(page: str) -> dict[str, list[str]]:
    """The titles of the days that have some."""
    found = re.findall(r'<time datetime="([^"]+)">(.*?)</td>', page)
    listed = {day: re.findall(r'<a href="/items/[^"]+">([^<]+)</a>', rest) for day, rest in found}
    return {day: names for day, names in listed.items() if names}


def months_of(page: str) -> dict[str, str]:
    """The other months that it links, by name."""
    links = page.partition('aria-label="Months"')[2].partition("</nav>")[0]
    return {name: path for path, name in re.findall(r'<a href="/upcoming/([^"]+)">([^<]+)</a>', links)}


def test_it_is_a_table_of_weeks_with_items_by_day(browser: Client, owner: RestEntryPoint, course: Any) -> None:
    made: list[tuple[str, str | None, str | None]] = [
        ("Past", "2026-11-02", None),
        ("No time", "2026-11-28", None),
        ("Early", "2026-11-28", "09:00"),
    ]
    made += [("Other month", "2026-12-01", None), ("Undated", None, None)]
    for title, day, time in made:
        item = owner.made("create_item", course_id=course["id"], title=title, due_on=day, due_time=time)
        if title == "Early":
            early = item["id"]
    page = page_of(browser, "2026-11")
    assert titles(page) == {"2026-11-02": ["Past"], "2026-11-28": ["Early", "No time"]}
    assert cells(page)[0] == ["", "", "", "", "", "", "1"]
    assert cells(page)[-1] == ["30", "", "", "", "", "", ""]
    assert [len(week) for week in cells(page)] == [7] * 6
    assert re.findall(r'scope="col">(\w+)<', page) == ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    assert "</caption>" in page
    link = (
        f'<a href="/items/{early}">Early</a> <span class="hint">09:00 · <span class="course-name">Cell Biology</span>'
    )
    assert re.search(rf'<li class="hue-\d+">{link}', page)


def test_it_says_which_items_are_exams_and_quizzes(browser: Client, owner: RestEntryPoint, course: Any) -> None:
    for kind in ("exam", "quiz", "paper"):
        owner.made("create_item", course_id=course["id"], title=f"A {kind}", kind=kind, due_on="2026-11-30")
    found = re.findall(r'">(A \w+)</a> <span class="hint">(.*?)<span class="course-name">', page_of(browser, "2026-11"))
    assert found == [("A exam", "<strong>exam</strong> · "), ("A quiz", "<strong>quiz</strong> · "), ("A paper", "")]


def test_it_marks_today_on_the_members_clock(browser: Client, owner: RestEntryPoint) -> None:
    owner.made("update_me", time_zone="Pacific/Kiritimati")
    page = page_of(browser, "2026-11")
    assert re.findall(r'aria-current="date"[^>]*><time datetime="([^"]+)"', page) == ["2026-11-29"]
    assert page.count("</time> today") == 1, "not by its color alone"
    assert 'aria-current="date"' not in page_of(browser, "2026-12")


@each(
    ("month", "expected"),
    [
        ("2026-11", {"October 2026": "2026-10", "December 2026": "2026-12"}),
        ("2026-12", {"November 2026": "2026-11", "This month": "2026-11", "January 2027": "2027-01"}),
        ("0001-01", {"This month": "2026-11", "February 0001": "0001-02"}),
        ("9999-12", {"November 9999": "9999-11", "This month": "2026-11"}),
    ],
)
def test_it_links_the_months_beside_it_by_name(browser: Client, month: str, expected: dict[str, str]) -> None:
    assert months_of(page_of(browser, month)) == expected


@each(
    "month", ["2026-13", "2026-00", "0000-01", "2026-1", "26-12", "2026-12-01", "+026-12", "٢٠٢٦-١٢", "2026-12%0A", "x"]
)
def test_another_address_is_not_found(browser: Client, month: str) -> None:
    assert browser.get(f"/upcoming/{month}").status_code == 404


def test_ended_courses_and_those_of_others_are_left_out(
    browser: Client, owner: RestEntryPoint, stranger: RestEntryPoint, course: Any
) -> None:
    theirs = stranger.made("create_course", name="Theirs")
    for one, who in ((course, owner), (theirs, stranger)):
        who.made("create_item", course_id=one["id"], title="Essay", due_on="2026-11-03")
    assert titles(page_of(browser, "2026-11")) == {"2026-11-03": ["Essay"]}
    owner.made("update_course", course_id=course["id"], archived=True)
    page = page_of(browser, "2026-11")
    assert titles(page) == {}
    assert "Nothing is due in November 2026." in page


def test_done_items_are_struck_out(browser: Client, owner: RestEntryPoint, course: Any) -> None:
    item = owner.made("create_item", course_id=course["id"], title="Essay", due_on="2026-11-03")
    assert not re.search(r'<li class="hue-\d+ done">', page_of(browser, "2026-11"))
    owner.made("update_item", item_id=item["id"], done=True)
    assert re.search(r'<li class="hue-\d+ done">', page_of(browser, "2026-11"))


def test_the_list_and_the_month_of_today_link_each_other(browser: Client, course: Any) -> None:
    assert 'href="/upcoming/2026-11">' in browser.get("/upcoming").content.decode()
    assert 'href="/upcoming">Upcoming</a></p>' in page_of(browser, "2027-03")


def test_a_lapsed_member_sees_no_data(browser: Client) -> None:
    Member.objects.update(membership_active=False)
    assert browser.get("/upcoming/2026-11").status_code == 403


def test_a_full_month_stays_small(browser: Client, owner_member: Member) -> None:
    """5,000 items in 30 courses, with the longest names. The rest of a day has a link."""
    courses = CourseFactory.create_batch(30, member=owner_member, name="生物学" * 40)
    days = [date(2026, 12, n % 31 + 1) for n in range(5000)]
    columns: dict[str, list[Any]] = {
        "course": [courses[n % 30] for n in range(5000)],
        "due_on": days,
        "missable_from": days,
    }
    stored_for_each(ItemFactory, columns, member=owner_member, title="問題" * 80)
    with CaptureQueriesContext(connection) as statements:
        page = browser.get("/upcoming/2026-12").content
    assert len(page) < 150_000
    assert page.count(b'<a href="/items/') == 31 * 8
    more = r'<a href="/upcoming\?from=2026-12-31">(\d+) more<'
    assert re.findall(more, page.decode()) == [str(5000 // 31 - 8)]
    told = [one["sql"] for one in statements if not one["sql"].startswith(("SAVEPOINT", "RELEASE"))]
    assert len(told) <= 8, told

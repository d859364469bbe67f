"""The pages of school calendars: adding, confirming, assigning courses, pausing, deleting."""

from typing import Any

import pytest
from django.test import Client

from planning.models import SchoolCalendar
from studyservice.rates import limiter
from tests.support.entry_points import RestEntryPoint
from tests.support.forms import form_with
from tests.support.internet import Internet
from tests.support.schools import HOST, SECRET, URL, School, labelled

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.rest,
    pytest.mark.database("sqlite", "page layout"),
]


@pytest.fixture
def school(internet: Internet) -> School:
    return School(internet)


def add(browser: Client, **fields: Any) -> Any:
    form = form_with("url", browser.get("/calendars").content.decode())
    return browser.post("/calendars", form | {"url": URL} | fields)


def dates(owner: RestEntryPoint) -> list[tuple[str, str]]:
    return [(one["title"], one["course_name"]) for one in owner.made("list_items")["data"]]


def test_a_calendar_can_be_added_checked_and_applied(browser: Client, owner: RestEntryPoint, school: School) -> None:
    owner.made("create_course", name="Biology")
    school.has(labelled("a", "20301203", "Essay <1>", "Biology"), labelled("b", "20301204", "Party", "Club"))
    added = add(browser, name="Canvas")
    page = browser.get(added.url).content.decode()
    assert "Essay &lt;1&gt;" in page
    assert "Waiting for you" in page
    assert SECRET not in page
    assert HOST in page
    taken = browser.post(added.url, {"do": "accept"}, follow=True).content.decode()
    assert "The dates were taken" in taken
    assert "Needs a course" in taken
    assert dates(owner) == [("Essay <1>", "Biology")]
    again = browser.post(added.url, {"do": "accept"})
    assert again.status_code == 409
    assert "Canvas" in browser.get("/calendars").content.decode()


def test_a_label_can_get_a_course_and_a_calendar_a_name(browser: Client, owner: RestEntryPoint, school: School) -> None:
    course = owner.made("create_course", name="Biology")
    school.has(labelled("b", "20301204", "Party", "Club"))
    added = add(browser)
    saved = browser.post(added.url, {"do": "save", "name": "Mine", "label-0": course["id"]}, follow=True)
    assert "Saved." in saved.content.decode()
    assert dates(owner) == [("Party", "Biology")]
    browser.post(added.url, {"do": "save", "name": "Mine", "label-0": "ignore"})
    [calendar] = owner.made("list_school_calendars")["data"]
    assert (calendar["name"], calendar["labels"][0]["ignored"]) == ("Mine", True)
    for wrong in ({"name": ""}, {"name": "x", "label-0": "nothing"}):
        assert browser.post(added.url, {"do": "save"} | wrong).status_code == 422


def test_a_calendar_can_be_rejected_refreshed_paused_resumed_and_deleted(
    browser: Client, owner: RestEntryPoint, school: School
) -> None:
    owner.made("create_course", name="Biology")
    school.has(labelled("a", "20301203", "Essay", "Biology"))
    path = add(browser).url
    for do, said in (
        ("refuse", "Nothing was taken."),
        ("refresh", "was read"),
        ("pause", "is paused"),
        ("start", "is read again"),
    ):
        assert said in browser.post(path, {"do": do}, follow=True).content.decode()
    assert browser.post(path, {"do": "refresh"}).status_code == 429
    assert browser.post(path, {"do": "dance"}).status_code == 404
    assert "cannot restore it" in browser.get(f"{path}/delete").content.decode()
    browser.post(f"{path}/delete")
    assert browser.get(path).status_code == 404
    assert (SchoolCalendar.objects.count(), dates(owner)) == (0, [])


def test_a_failed_reading_is_reported_with_its_reason(browser: Client, school: School) -> None:
    school.sends(status="500 Oh")
    path = add(browser).url
    page = browser.post(path, {"do": "refresh"}, follow=True).content.decode()
    assert "Choosing a course" not in page
    assert "It could not be read: The school&#x27;s server answered with the status 500." in page
    assert "The calendar was read." not in page


def test_a_rejected_address_is_shown_with_its_error(browser: Client, school: School) -> None:
    for url in ("", "http://canvas.school.example/a", "https://127.0.0.1/a"):
        refused = add(browser, url=url)
        assert refused.status_code == 422
        assert "errorlist" in refused.content.decode()
    assert SchoolCalendar.objects.count() == 0


def test_a_too_long_address_is_not_cut_but_reported(browser: Client, school: School) -> None:
    assert 'maxlength="2000"' not in browser.get("/calendars").content.decode()
    refused = add(browser, url=f"https://{HOST}/{'a' * 2000}")
    assert refused.status_code == 422
    assert "Must have at most 2000 characters." in refused.content.decode()


def test_a_double_click_adds_one_calendar_and_a_sixth_is_rejected(browser: Client, school: School) -> None:
    form = form_with("url", browser.get("/calendars").content.decode()) | {"url": URL}
    first, again = (browser.post("/calendars", form).headers["Location"] for _ in range(2))
    assert first == again
    for number in range(4):
        limiter.clear()
        late = form_with("url", browser.get("/calendars").content.decode())
        add(browser, url=f"{URL}?{number}")
    assert browser.post("/calendars", late | {"url": URL, "form_key": ""}).status_code == 409
    assert "reached the limit" in browser.get("/calendars").content.decode()


def test_another_members_calendar_is_404_and_a_lapsed_member_gets_403(
    browser: Client, stranger: RestEntryPoint, school: School, make_member: Any
) -> None:
    theirs = stranger.made("add_school_calendar", url=URL)
    for path in (f"/calendars/{theirs['id']}", f"/calendars/{theirs['id']}/delete"):
        assert browser.get(path).status_code == 404
        assert browser.post(path, {"do": "pause"}).status_code == 404
    lapsed = Client()
    lapsed.force_login(make_member(membership_active=False))
    assert lapsed.get("/calendars").status_code == 403


def test_a_calendar_of_ended_courses_says_that_it_is_not_read(
    browser: Client, owner: RestEntryPoint, school: School
) -> None:
    course = owner.made("create_course", name="Biology")
    school.has(labelled("a", "20301203", "Essay", "Biology"))
    added = add(browser)
    owner.made("update_course", course_id=course["id"], archived=True)
    for path in ("/calendars", added.url):
        page = browser.get(path).content.decode()
        assert "All its courses have ended." in page
        assert "Read it now" not in page
    refused = browser.post(added.url, {"do": "refresh"})
    assert (refused.status_code, "so it is not read" in refused.content.decode()) == (409, True)


def test_a_disabled_feature_is_reported(browser: Client, school: School, settings: Any) -> None:
    settings.SCHOOL_CALENDARS = False
    page = browser.get("/calendars").content.decode()
    assert "turned off" in page
    assert 'name="url"' not in page
    assert browser.post("/calendars", {"url": URL}).status_code == 409


def test_operators_see_host_and_error_and_can_pause_but_never_see_the_address(
    admin: Client, owner: RestEntryPoint, school: School
) -> None:
    school.sends(status="500 Oh")
    added = owner.made("add_school_calendar", url=URL, name="Canvas of mine")
    listed = admin.get("/admin/planning/schoolcalendar/").content.decode()
    one = admin.get(f"/admin/planning/schoolcalendar/{added['id']}/change/").content.decode()
    for page in (listed, one):
        assert "Canvas of mine" in page
        assert "answered with the status 500." in page
        assert HOST in page
        assert "failing" in page
        assert SECRET not in page
        assert SchoolCalendar.objects.get().sealed_address not in page
    for action, paused in (("pause", True), ("start", False)):
        admin.post("/admin/planning/schoolcalendar/", {"action": action, "_selected_action": [added["id"]]})
        assert owner.made("get_school_calendar", calendar_id=added["id"])["paused"] is paused

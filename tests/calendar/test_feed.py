"""The calendar feed as subscribed apps fetch it."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.credentials.keys import end_feed, new_feed
from accounts.models import CalendarFeed, Member
from tests.support.archives import parts_of
from tests.support.calendars import Subscription
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.factories import CourseFactory, ItemFactory, MilestoneFactory

pytestmark = [pytest.mark.database("sqlite", "text of a calendar"), pytest.mark.rest]
NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.fixture
def feed(owner_member: Member) -> Subscription:
    return Subscription(owner_member)


def stamp(text: str) -> str:
    """A timestamp of the API in calendar format."""
    return datetime.fromisoformat(text).strftime("%Y%m%dT%H%M%SZ")


def test_an_event_matches_its_item(owner: RestEntryPoint, feed: Subscription, course: Any, settings: Any) -> None:
    settings.BASE_URL = "https://study.example.org:8443"
    due_on = owner.made("get_me")["today"]
    item = owner.made("create_item", course_id=course["id"], title="Mid, term; \\1", kind="exam", due_on=due_on)
    assert feed.events() == [
        {
            "UID": f"{item['id']}@study.example.org",
            "SUMMARY": "Mid\\, term\\; \\\\1 (Cell Biology)",
            "CATEGORIES": "exam",
            "DTSTART": due_on.replace("-", ""),
            "TRANSP": "TRANSPARENT",
            "DTSTAMP": stamp(item["updated_at"]),
            "LAST-MODIFIED": stamp(item["updated_at"]),
            "CREATED": stamp(item["created_at"]),
            "SEQUENCE": "0",
        }
    ]


def test_the_calendar_asks_to_be_fetched_every_hour(feed: Subscription) -> None:
    lines = feed.fetch().content.decode().split("\r\n")
    assert {"REFRESH-INTERVAL;VALUE=DURATION:PT1H", "X-PUBLISHED-TTL:PT1H", "VERSION:2.0"} <= set(lines)


@time_machine.travel(datetime(2026, 11, 21, 23, 30, tzinfo=UTC), tick=False)
def test_it_covers_30_days_back_to_a_year_ahead_of_the_members_today(owner_member: Member) -> None:
    """In Paris, the 22nd has begun."""
    for days in (-31, -30, 365, 366):
        due_on = datetime(2026, 11, 22, tzinfo=UTC).date() + timedelta(days=days)
        ItemFactory.create(member=owner_member, title=str(days), due_on=due_on)
    ItemFactory.create(member=owner_member, due_on=None)
    titles = [event["SUMMARY"].split()[0] for event in Subscription(owner_member).events()]
    assert titles == ["-30", "365"]


def test_open_milestones_are_included_on_request(owner_member: Member, feed: Subscription) -> None:
    today = owner_member.today()
    item = ItemFactory.create(member=owner_member, title="Midterm")
    for title, due_on, done in (("Outline", today, False), ("Read", today, True), ("Some day", None, False)):
        MilestoneFactory.create(member=owner_member, item=item, title=title, due_on=due_on, done=done)
    assert (feed.events(), feed.events("milestones=false")) == ([], [])
    [event] = feed.events("milestones=true")
    assert (event["SUMMARY"], event["CATEGORIES"]) == ("Outline (Midterm)", "milestone")
    assert feed.fetch("milestones=maybe").status_code == 400


def test_the_sequence_increases_with_title_kind_and_date(
    owner: RestEntryPoint, feed: Subscription, course: Any
) -> None:
    today = owner.made("get_me")["today"]
    item = owner.made("create_item", course_id=course["id"], title="Quiz", due_on=today)
    found = []
    for change in ({"title": "Test"}, {"title": "Test"}, {"kind": "quiz"}, {"due_on": None}, {"due_on": today}):
        owner.made("update_item", item_id=item["id"], **change)
        found += [event["SEQUENCE"] for event in feed.events()]
    assert found == ["1", "1", "2", "4"]


def test_the_sequence_of_a_milestone_increases_with_title_and_date(
    owner: RestEntryPoint, feed: Subscription, milestone: Any
) -> None:
    today = owner.made("get_me")["today"]
    for change in ({"due_on": today}, {"title": "Draft"}, {"done": True}, {"done": False}):
        owner.made("update_milestone", milestone_id=milestone["id"], **change)
    [event] = feed.events("milestones=true")
    assert event["SEQUENCE"] == "2"


def test_renaming_a_course_updates_its_events(owner: RestEntryPoint, feed: Subscription, course: Any) -> None:
    owner.made("create_item", course_id=course["id"], title="Quiz", due_on=owner.made("get_me")["today"])
    renamed = owner.made("update_course", course_id=course["id"], name="Botany")
    [event] = feed.events()
    assert (event["SUMMARY"], event["LAST-MODIFIED"]) == ("Quiz (Botany)", stamp(renamed["updated_at"]))


def test_deleted_objects_are_gone_on_the_next_fetch(owner: RestEntryPoint, feed: Subscription, course: Any) -> None:
    item = owner.made("create_item", course_id=course["id"], title="Quiz", due_on=owner.made("get_me")["today"])
    etag = feed.fetch().headers["ETag"]
    owner.made("delete_item", item_id=item["id"])
    answer = feed.fetch(If_None_Match=etag)
    assert (answer.status_code, b"VEVENT" in answer.content) == (200, False)


def test_an_unchanged_calendar_is_304_with_one_query(owner: RestEntryPoint, feed: Subscription, item: Any) -> None:
    first = feed.fetch()
    etag = first.headers["ETag"]
    assert not etag.startswith("W/")
    with CaptureQueriesContext(connection) as queries:
        again = feed.fetch(If_None_Match=f'"other", {etag}')
    assert (again.status_code, again.content, again.headers["ETag"], len(queries)) == (304, b"", etag, 1)
    for answer in (first, again):
        assert answer.headers["Cache-Control"] == "private, no-cache"
    owner.made("update_item", item_id=item["id"], due_on=owner.made("get_me")["today"])
    changed = feed.fetch(If_None_Match=etag)
    assert (changed.status_code, changed.headers["ETag"] == etag) == (200, False)


def test_the_etag_depends_on_the_text(owner_member: Member) -> None:
    """Different parameters and days share it unless the text differs."""
    with time_machine.travel(NOON, tick=False):
        feed = Subscription(owner_member)
        leaving = NOON.date() - timedelta(days=29)
        item = ItemFactory.create(member=owner_member, due_on=leaving)
        MilestoneFactory.create(member=owner_member, item=item, due_on=NOON.date())
        answers = [feed.fetch(query) for query in ("", "milestones=false", "milestones=true")]
    for days in (1, 2):
        with time_machine.travel(NOON + timedelta(days=days), tick=False):
            answers.append(feed.fetch())
    tags = [answer.headers["ETag"] for answer in answers]
    texts = [answer.content for answer in answers]
    assert tags[0] == tags[1] == tags[3]
    assert len({tags[0], tags[2], tags[4]}) == 3
    assert [tags.index(tag) for tag in tags] == [texts.index(text) for text in texts]


def test_a_write_outside_of_the_calendar_keeps_the_etag(owner: RestEntryPoint, feed: Subscription, item: Any) -> None:
    first = feed.fetch()
    owner.made("create_item", course_id=item["course_id"], title="Without a date")
    owner.made("create_course", name="Botany")
    again = feed.fetch(If_None_Match=first.headers["ETag"])
    assert (again.status_code, again.headers["ETag"]) == (304, first.headers["ETag"])
    assert feed.fetch().content == first.content


def test_a_complete_calendar_needs_three_queries(owner_member: Member, feed: Subscription) -> None:
    """For any size: one each for the feed, the items and the milestones."""
    course = CourseFactory.create(member=owner_member)
    for _ in range(30):
        item = ItemFactory.create(member=owner_member, course=course, due_on=owner_member.today())
        MilestoneFactory.create(member=owner_member, item=item, due_on=owner_member.today())
    feed.fetch()
    with CaptureQueriesContext(connection) as queries:
        assert len(feed.events("milestones=true")) == 60
    assert len(queries) == 3


def test_head_returns_the_same_headers_without_the_calendar(feed: Subscription) -> None:
    got, head = feed.fetch(), feed.fetch(method="HEAD")
    for name in ("ETag", "Content-Type", "Cache-Control", "RateLimit-Limit"):
        assert head.headers[name] == got.headers[name]
    assert (head.status_code, head.content) == (200, b"")


@each("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"])
def test_another_method_is_405_in_plain_text(feed: Subscription, method: str) -> None:
    """Sent as an app does, without a form token."""
    feed.client = Client(enforce_csrf_checks=True)
    answer = feed.fetch(method=method)
    assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, HEAD")
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert b"GET" in answer.content


def test_the_31st_fetch_in_a_minute_is_rejected(feed: Subscription) -> None:
    """HEAD and 304 count, but not fetches from another address."""
    etag = feed.fetch().headers["ETag"]
    assert [feed.fetch(method="HEAD").status_code for _ in range(14)] == [200] * 14
    assert [feed.fetch(If_None_Match=etag).status_code for _ in range(15)] == [304] * 15
    refused = feed.fetch()
    assert (refused.status_code, refused.headers["Content-Type"]) == (429, "text/plain; charset=utf-8")
    assert 1 <= int(refused.headers["Retry-After"]) <= 60


def test_unknown_feeds_count_against_the_caller(owner_member: Member, feed: Subscription) -> None:
    known = feed.path
    unknown = [f"/calendar/svc_cal_{number:043}.ics" for number in range(31)]
    statuses = []
    for feed.path in unknown:
        statuses.append(feed.fetch().status_code)
    feed.path = known
    assert (statuses, feed.fetch().status_code) == ([404] * 30 + [429], 200)


@each("name", ["svc_cal_" + "x" * 43, "svc_cal_", "x", "", "%00", "svc_sk_" + "x" * 43])
def test_an_unknown_feed_is_404_in_plain_text(feed: Subscription, name: str) -> None:
    feed.path = f"/calendar/{name}.ics"
    answer = feed.fetch()
    assert (answer.status_code, answer.headers["Content-Type"]) == (404, "text/plain; charset=utf-8")
    assert answer.headers["Cache-Control"] == "no-store"


def test_ended_and_renewed_feeds_are_404(owner_member: Member, feed: Subscription) -> None:
    new_feed(owner_member)
    assert feed.fetch().status_code == 404
    other = Subscription(owner_member)
    end_feed(owner_member.id)
    assert other.fetch().status_code == 404


def test_a_lapsed_member_gets_403_in_plain_text(owner_member: Member, feed: Subscription) -> None:
    etag = feed.fetch().headers["ETag"]
    owner_member.membership_active = False
    owner_member.save()
    answer = feed.fetch(If_None_Match=etag)
    assert (answer.status_code, answer.headers["Content-Type"]) == (403, "text/plain; charset=utf-8")


def test_a_deactivated_member_has_no_calendar(owner_member: Member, feed: Subscription) -> None:
    owner_member.is_active = False
    owner_member.save()
    assert feed.fetch().status_code == 404


def test_the_secret_works_nowhere_else(feed: Subscription) -> None:
    secret = feed.path.removeprefix("/calendar/").removesuffix(".ics")
    assert RestEntryPoint(secret).call("get_me").error == "unauthorized"
    assert RestEntryPoint(secret).request("GET", "/v1/me", headers={"X-API-Key": secret}).status_code == 401


def test_an_api_key_does_not_open_a_calendar(owner: RestEntryPoint, feed: Subscription) -> None:
    feed.path = f"/calendar/{owner.secret}.ics"
    assert feed.fetch().status_code == 404


def test_only_its_hash_is_stored(owner_member: Member, feed: Subscription) -> None:
    secret = feed.path.removeprefix("/calendar/").removesuffix(".ics")
    row = CalendarFeed.objects.values().get()
    assert all(secret not in str(value) for value in row.values())


def test_its_last_use_is_recorded_every_five_minutes(owner_member: Member) -> None:
    with time_machine.travel(NOON, tick=False) as clock:
        feed = Subscription(owner_member)
        found = []
        for _ in range(3):
            feed.fetch()
            found.append(CalendarFeed.objects.get().last_used_at)
            clock.shift(timedelta(minutes=4))
    assert found == [NOON, NOON, NOON + timedelta(minutes=8)]


def test_http_is_rejected_if_the_service_is_behind_https(feed: Subscription, settings: Any) -> None:
    settings.SECURE_SSL_REDIRECT = True
    answer = feed.fetch()
    assert (answer.status_code, "Location" in answer.headers) == (400, False)


def test_control_characters_are_removed_from_texts(owner_member: Member, feed: Subscription) -> None:
    course = CourseFactory.create(member=owner_member, name="C")
    title = "a\x01b\x0bc\r\nd\u2028e\tf"
    ItemFactory.create(member=owner_member, course=course, title=title, due_on=timezone.now().date())
    [event] = feed.events()
    assert event["SUMMARY"] == "ab\\nc\\nd\\ne\tf (C)"


def test_a_finished_item_has_a_check_mark(owner: RestEntryPoint, feed: Subscription, course: Any) -> None:
    """Each change of the mark is a new revision, whether caused by the item, a score, a category or an undo."""
    today = owner.made("get_me")["today"]
    item = owner.made("create_item", course_id=course["id"], title="Quiz", due_on=today)
    categories = [{"name": "Quizzes", "weight": 40}]
    made = owner.made("set_grade_categories", course_id=course["id"], categories=categories)
    fields = {"category_id": made["categories"][0]["id"], "item_id": item["id"], "label": "Quiz", "score": 80}

    def newest() -> str:
        return str(owner.made("list_changes", limit=1)["data"][0]["id"])

    steps: list[tuple[Any, bool]] = [
        (lambda: owner.made("update_item", item_id=item["id"], done=True), True),
        (lambda: owner.made("update_item", item_id=item["id"], done=False), False),
        (lambda: owner.made("undo_change", change_id=newest()), True),
        (lambda: owner.made("update_item", item_id=item["id"], done=False), False),
        (lambda: owner.made("add_grade_score", course_id=course["id"], **fields), True),
        (lambda: owner.made("undo_change", change_id=newest()), False),
        (lambda: owner.made("add_grade_score", course_id=course["id"], **fields), True),
        (lambda: owner.made("set_grade_categories", course_id=course["id"], categories=[]), False),
        (lambda: owner.made("undo_change", change_id=newest()), True),
    ]
    stamps, sequences = [], []
    # Start in the present: a member's times never decrease.
    with time_machine.travel(datetime.now(UTC), tick=False) as clock:
        for do, is_marked in steps:
            clock.shift(timedelta(seconds=10))
            do()
            [event] = feed.events()
            assert event["SUMMARY"] == ("✓ Quiz (Cell Biology)" if is_marked else "Quiz (Cell Biology)")
            assert len(feed.events("open=true")) == (not is_marked)
            stamps.append(event["LAST-MODIFIED"])
            sequences.append(int(event["SEQUENCE"]))
    assert sorted(set(stamps)) == stamps
    assert sorted(set(sequences)) == sequences
    assert feed.fetch("open=maybe").status_code == 400


def test_the_check_mark_is_removed_from_an_imported_title(
    owner: RestEntryPoint, feed: Subscription, course: Any
) -> None:
    today = owner.made("get_me")["today"]
    item = owner.made("create_item", course_id=course["id"], title="Quiz", due_on=today)
    owner.made("update_item", item_id=item["id"], done=True)
    other = owner.made("create_course", name="Other")
    taken = owner.made("import_calendar", course_id=other["id"], file=feed.fetch().content)
    assert [event["title"] for event in taken["new"]] == ["Quiz (Cell Biology)"]
    owner.made("update_item", item_id=item["id"], done=False)
    taken = owner.made("import_calendar", course_id=other["id"], file=feed.fetch().content)
    assert (taken["changed"], taken["unchanged"]) == ([], 1)


def test_ended_courses_are_left_out_until_they_are_reopened(
    owner: RestEntryPoint, feed: Subscription, course: Any
) -> None:
    """The archive of the account keeps them."""
    today = owner.made("get_me")["today"]
    item = owner.made("create_item", course_id=course["id"], title="Quiz", due_on=today)
    owner.made("create_milestone", item_id=item["id"], title="Outline", due_on=today)
    before = [event["UID"] for event in feed.events("milestones=true")]
    owner.made("update_course", course_id=course["id"], archived=True)
    assert feed.events("milestones=true") == []
    archived = parts_of(owner.made("export_data"))["calendar.ics"]
    assert [uid.encode() in archived for uid in before] == [True, True]
    owner.made("update_course", course_id=course["id"], archived=False)
    assert [event["UID"] for event in feed.events("milestones=true")] == before

"""import_calendar: a calendar file imported into a course, once and repeatedly."""

from datetime import UTC, date, datetime, timedelta
from typing import Any
from unittest.mock import ANY

import pytest
import time_machine

from accounts.models import Member
from courses.models import Course, Item
from tests.support.calendar_files import CANVAS, MOODLE, calendar, deadline, event, one_deadline
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.factories import ItemFactory, stored
from tests.support.platform_calendars import PLATFORMS, ZONE
from tests.support.samples import UNKNOWN_ID
from tests.support.uploads import multipart
from tests.support.world import error_of, fields_of

about_files = pytest.mark.database("sqlite", "reads files")

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
pytestmark = [
    pytest.mark.rest,
    pytest.mark.django_db,
    pytest.mark.same_statements,
    pytest.mark.time_machine(NOW, tick=False),
]
FORM = "multipart/form-data; boundary=BoUnDaRyStRiNg"


@pytest.fixture
def owner_member(make_member: Any) -> Member:
    member: Member = make_member("owner@example.org", time_zone=ZONE)
    return member


def send(
    entry_point: RestEntryPoint, course: Any, file: bytes, query: str = "", *, as_form: bool = True, **extra: Any
) -> Any:
    data, content_type = (multipart(file), FORM) if as_form else (file, "text/calendar")
    path = f"/v1/courses/{course['id']}/calendar{query}"
    return entry_point.client.post(path, data, content_type=content_type, **extra)


def imported(entry_point: RestEntryPoint, course: Any, *events: str, prodid: str = CANVAS, query: str = "") -> Any:
    """The answer to importing a file with these events."""
    answer = send(entry_point, course, calendar(prodid, *events), query)
    assert answer.status_code == 200, answer.content
    return answer.json()


def dates(entry_point: RestEntryPoint) -> list[tuple[str, str]]:
    return [(item["title"], item["due_on"]) for item in entry_point.made("list_items", limit=100)["data"]]


def nothing(**told: Any) -> dict[str, Any]:
    """An answer in which only these parts are not empty."""
    empty: dict[str, Any] = {name: [] for name in ("new", "changed", "kept", "gone", "skipped")}
    return {"dry_run": False, "unchanged": 0, "labels": ANY} | empty | told


def told(item_id: Any, title: str, due_on: str | None, *, uid: str = "a", kind: str = "paper") -> dict[str, Any]:
    return {"uid": uid, "item_id": item_id, "title": title, "kind": kind, "due_on": due_on, "due_time": None}


@about_files
@each("platform", PLATFORMS)
def test_every_platform_date_is_correct_and_a_second_import_adds_nothing(
    owner: RestEntryPoint, course: Any, platform: str
) -> None:
    written = PLATFORMS[platform]()
    first = send(owner, course, written.file).json()
    assert dates(owner) == written.dates
    assert len(first["new"]) == len(written.dates)
    second = send(owner, course, written.file).json()
    assert second == nothing(unchanged=len(written.dates), skipped=written.skipped)
    assert dates(owner) == written.dates


MOVED = {
    "canvas": (b"20261204T045900Z", b"20261207T045900Z", "Lab report 2 [BIO 210 Cell Biology]", "2026-12-06"),
    "moodle": (b"DTSTART:20261216T045900Z", b"DTSTART:20261218T045900Z", "Problem set 4, part A is due", "2026-12-17"),
    "blackboard": (b"20261204T235900", b"20261206T235900", "Essay", "2026-12-06"),
    "google": (b"DUE;VALUE=DATE:20261218", b"DUE;VALUE=DATE:20261219", "Portfolio", "2026-12-19"),
}
"""Changes of the school in a file, and the item with its new date."""


@about_files
@each("platform", PLATFORMS)
def test_moves_by_the_platform_are_applied_or_reported_as_conflicts(
    owner: RestEntryPoint, course: Any, platform: str
) -> None:
    written = PLATFORMS[platform]()
    old, new, title, moved_to = MOVED[platform]
    moved = written.file.replace(old, new)
    assert moved != written.file
    send(owner, course, written.file)
    was = dict(written.dates)[title]
    answer = send(owner, course, moved).json()
    [item] = answer["changed"]
    others = len(written.dates) - 1
    assert answer == nothing(unchanged=others, changed=[item], skipped=written.skipped)
    assert (item["title"], item["due_on"], item["before"]["due_on"]) == (title, moved_to, was)
    owner.made("update_item", item_id=item["item_id"], due_on="2026-12-31")
    answer = send(owner, course, written.file).json()
    [kept] = answer["kept"]
    assert answer == nothing(unchanged=others, kept=[kept], skipped=written.skipped)
    assert (kept["due_on"], kept["file"]["title"], kept["file"]["due_on"]) == ("2026-12-31", title, was)
    assert owner.made("get_item", item_id=item["item_id"])["due_on"] == "2026-12-31"


@about_files
@each(
    ("encoding", "end"),
    [
        *((encoding, "\r\n") for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252")),
        *((encoding, end) for encoding in ("utf-8", "utf-16") for end in ("\n", "\r")),
    ],
)
def test_files_in_other_encodings_and_with_other_line_ends_are_read(
    owner: RestEntryPoint, course: Any, encoding: str, end: str
) -> None:
    """Including a title folded into two lines."""
    title = "Prüfung über Zellen " * 5
    file = calendar(CANVAS, deadline("a", "20261203", title), deadline("b", "20261204", "Essay"))
    written = file.decode().replace("\r\n", end).encode(encoding)
    assert send(owner, course, written).status_code == 200
    assert dates(owner) == [(title.strip(), "2026-12-03"), ("Essay", "2026-12-04")]


@pytest.mark.usefixtures("started_readings")
def test_it_returns_every_list(owner: RestEntryPoint, course: Any) -> None:
    answer = imported(owner, course, deadline("a", "20261203", "Essay 1"), deadline("b", "20261204", "Midterm"))
    first, second = owner.made("list_items")["data"]
    assert answer == nothing(
        new=[
            told(first["id"], "Essay 1", "2026-12-03"),
            told(second["id"], "Midterm", "2026-12-04", uid="b", kind="exam"),
        ]
    )


def test_the_calendar_may_be_the_body_itself(owner: RestEntryPoint, course: Any) -> None:
    answer = send(owner, course, one_deadline(), as_form=False)
    assert (answer.status_code, len(answer.json()["new"])) == (200, 1)


def test_a_dry_run_reports_and_changes_nothing(owner: RestEntryPoint, course: Any) -> None:
    answer = imported(owner, course, deadline("a", "20261203", "Essay 1"), query="?dry_run=true")
    assert answer == nothing(dry_run=True, new=[told(None, "Essay 1", "2026-12-03")])
    assert dates(owner) == []


@pytest.mark.database("both")
def test_changes_only_in_the_file_are_applied(owner: RestEntryPoint, course: Any) -> None:
    [item] = imported(owner, course, deadline("a", "20261203", "Essay 1"))["new"]
    again = imported(owner, course, deadline("a", "20261205", "Essay one"))
    changed = told(item["item_id"], "Essay one", "2026-12-05") | {
        "before": {"title": "Essay 1", "due_on": "2026-12-03", "due_time": None}
    }
    assert again == nothing(changed=[changed])
    assert dates(owner) == [("Essay one", "2026-12-05")]


def test_changes_only_by_the_member_are_kept(owner: RestEntryPoint, course: Any) -> None:
    [item] = imported(owner, course, deadline("a", "20261203", "Essay 1"))["new"]
    owner.made("update_item", item_id=item["item_id"], due_on="2026-12-01", kind="project")
    assert imported(owner, course, deadline("a", "20261203", "Essay 1")) == nothing(unchanged=1)
    assert dates(owner) == [("Essay 1", "2026-12-01")]


@pytest.mark.database("both")
def test_conflicting_changes_are_kept_and_reported_once(owner: RestEntryPoint, course: Any) -> None:
    """Title and date are compared separately: the new title is applied."""
    [item] = imported(owner, course, deadline("a", "20261203", "Essay 1"))["new"]
    owner.made("update_item", item_id=item["item_id"], due_on="2026-12-01")
    again = imported(owner, course, deadline("a", "20261205", "Essay 1b"))
    row = told(item["item_id"], "Essay 1b", "2026-12-01")
    assert again == nothing(
        changed=[row | {"before": {"title": "Essay 1", "due_on": "2026-12-01", "due_time": None}}],
        kept=[row | {"file": {"title": "Essay 1b", "due_on": "2026-12-05", "due_time": None}}],
    )
    assert imported(owner, course, deadline("a", "20261205", "Essay 1b")) == nothing(unchanged=1)
    assert dates(owner) == [("Essay 1b", "2026-12-01")]


def test_equal_changes_on_both_sides_are_unchanged(owner: RestEntryPoint, course: Any) -> None:
    [item] = imported(owner, course, deadline("a", "20261203", "Essay 1"))["new"]
    owner.made("update_item", item_id=item["item_id"], due_on="2026-12-05")
    assert imported(owner, course, deadline("a", "20261205", "Essay 1")) == nothing(unchanged=1)


def test_a_deleted_item_is_not_created_again(owner: RestEntryPoint, course: Any) -> None:
    [item] = imported(owner, course, deadline("a", "20261203", "Essay 1"))["new"]
    owner.made("delete_item", item_id=item["item_id"])
    skipped = [{"uid": "a", "title": "Essay 1", "reason": "deleted"}]
    assert imported(owner, course, deadline("a", "20261203", "Essay 1")) == nothing(skipped=skipped)


def test_events_missing_from_the_file_are_reported_and_not_deleted(owner: RestEntryPoint, course: Any) -> None:
    one, other = deadline("a", "20261203", "Essay 1"), deadline("b", "20261204", "Essay 2")
    [first, _] = imported(owner, course, one, other)["new"]
    assert imported(owner, course, other) == nothing(
        gone=[told(first["item_id"], "Essay 1", "2026-12-03")], unchanged=1
    )
    assert len(dates(owner)) == 2


def test_a_file_of_another_program_reports_no_missing_events(owner: RestEntryPoint, course: Any) -> None:
    imported(owner, course, deadline("a", "20261203", "Essay 1"))
    assert imported(owner, course, deadline("b", "20261204", "Quiz"), prodid=MOODLE)["gone"] == []


@about_files
@each("how", ["event", "file"])
def test_canceled_events_are_reported_as_gone(owner: RestEntryPoint, course: Any, how: str) -> None:
    [item] = imported(owner, course, deadline("a", "20261203", "Essay 1"))["new"]
    status = ["STATUS:CANCELLED"] if how == "event" else []
    head = ["METHOD:CANCEL"] if how == "file" else []
    file = calendar("-//Another//EN", deadline("a", "20261203", "Essay 1", *status), head=head)
    assert send(owner, course, file).json() == nothing(gone=[told(item["item_id"], "Essay 1", "2026-12-03")])


def test_uids_are_per_course(owner: RestEntryPoint, course: Any) -> None:
    other = owner.made("create_course", name="Botany")
    for one in (course, other):
        assert len(imported(owner, one, deadline("a", "20261203", "Essay 1"))["new"]) == 1


def test_a_moved_occurrence_is_the_same_item(owner: RestEntryPoint, course: Any) -> None:
    series = event("w", "DTSTART;VALUE=DATE:20261201", "RRULE:FREQ=WEEKLY;COUNT=3", summary="Quiz")
    moved = event("w", "RECURRENCE-ID;VALUE=DATE:20261208", "DTSTART;VALUE=DATE:20261209", summary="Quiz")
    assert len(imported(owner, course, series)["new"]) == 3
    again = imported(owner, course, series, moved)
    assert ([one["before"]["due_on"] for one in again["changed"]], again["unchanged"]) == (["2026-12-08"], 2)


@about_files
def test_a_long_series_adds_its_nearest_hundred_and_reports_none_as_gone_later(
    owner: RestEntryPoint, course: Any
) -> None:
    daily = event("d", "DTSTART;VALUE=DATE:20240101", "RRULE:FREQ=DAILY", summary="Reading")
    first = imported(owner, course, daily)["new"]
    assert (len(first), first[0]["due_on"], first[-1]["due_on"]) == (100, "2026-11-22", "2027-03-01")
    with time_machine.travel(NOW + timedelta(days=10), tick=False):
        again = imported(owner, course, daily)
    assert (len(again["new"]), again["gone"]) == (10, [])


@about_files
def test_a_series_is_expanded_one_year_back_and_ahead(owner: RestEntryPoint, course: Any) -> None:
    yearly = event("y", "DTSTART;VALUE=DATE:20151201", "RRULE:FREQ=MONTHLY", summary="Review")
    found = [date.fromisoformat(one["due_on"]) for one in imported(owner, course, yearly)["new"]]
    assert (len(found), min(found), max(found)) == (24, date(2025, 12, 1), date(2027, 11, 1))


@about_files
def test_rejected_events_are_reported_with_the_reason(owner: RestEntryPoint, course: Any) -> None:
    hourly = event("h", "DTSTART:20261201T080000Z", "RRULE:FREQ=HOURLY", summary="Bell")
    answer = imported(
        owner,
        course,
        event("no-date", summary="Some day"),
        event("bad", "DTSTART:tomorrow", summary="Soon"),
        deadline("no-title", "20261203", ""),
        deadline("", "20261203", "Nobody's"),
        deadline("x" * 256, "20261203", "Long"),
        hourly,
        event("todo", "DTSTART;VALUE=DATE:20261203", summary="Without due", name="VTODO"),
    )
    assert sorted((one["title"], one["reason"]) for one in answer.pop("skipped")) == [
        ("", "no_title"),
        ("Bell", "recurs_too_often"),
        ("Long", "uid_too_long"),
        ("Nobody's", "no_uid"),
        ("Some day", "no_date"),
        ("Soon", "no_date"),
        ("Without due", "no_date"),
    ]
    assert answer == {name: value for name, value in nothing().items() if name != "skipped"}


def test_the_newest_of_duplicate_events_counts(owner: RestEntryPoint, course: Any) -> None:
    old = deadline("a", "20261203", "Essay", "SEQUENCE:1")
    new = deadline("a", "20261205", "Essay", "SEQUENCE:2")
    imported(owner, course, new, old)
    assert dates(owner) == [("Essay", "2026-12-05")]


@about_files
@each(
    "file",
    [
        b"hello",
        b"BEGIN:VCALENDAR\r\n",
        b"BEGIN:VEVENT\r\nUID:a\r\nEND:VEVENT\r\n",
        b"\xff\xfe\x00\x01" * 99,
        b"%PDF-1.7\n",
        calendar(CANVAS, *[deadline(str(number), "20261203", "x") for number in range(3001)]),
    ],
)
def test_an_invalid_or_too_large_calendar_is_400(owner: RestEntryPoint, course: Any, file: bytes) -> None:
    assert error_of(send(owner, course, file))["type"] == "invalid_request"
    assert dates(owner) == []


@about_files
def test_a_file_of_over_2_mib_is_400(owner: RestEntryPoint, course: Any) -> None:
    for size, status in ((0, 200), (1, 400)):
        file = calendar(CANVAS, deadline("a", "20261203", "Essay"))
        file = file.replace(b"END:VCALENDAR", b"X-PAD:%b\r\nEND:VCALENDAR")
        file %= b"x" * (2 * 1024 * 1024 - len(file) + 2 + size)
        assert len(file) == 2 * 1024 * 1024 + size
        for as_form in (True, False):
            assert send(owner, course, file, as_form=as_form).status_code == status


@about_files
@each(
    ("data", "content_type", "status"),
    [
        (b"{}", "application/json", 400),
        (b"x", "", 400),
        (b"broken", FORM, 400),
        (b"broken", "multipart/form-data", 400),
        (multipart(b"x", "document"), FORM, 422),
        (multipart(b""), FORM, 422),
        (multipart(b"x").replace(b"--BoUnDaRyStRiNg--", b"") + multipart(b"y"), FORM, 422),
        (b"", "text/calendar", 422),
    ],
)
def test_a_body_without_exactly_one_file_is_rejected(
    owner: RestEntryPoint, course: Any, data: bytes, content_type: str, status: int
) -> None:
    path = f"/v1/courses/{course['id']}/calendar"
    answer = owner.client.generic("POST", path, data, content_type=content_type)
    assert answer.status_code == status, answer.content
    if status == 422:
        assert fields_of(answer) == ["file"]


def test_a_missing_course_is_reported_before_a_missing_file(owner: RestEntryPoint, stranger: RestEntryPoint) -> None:
    theirs = stranger.made("create_course", name="Theirs")
    for course in ({"id": UNKNOWN_ID}, theirs):
        for file in (one_deadline(), b""):
            assert error_of(send(owner, course, file))["type"] == "not_found"


@about_files
def test_an_encoded_body_is_400(owner: RestEntryPoint, course: Any) -> None:
    answer = send(owner, course, one_deadline(), headers={"Content-Encoding": "gzip"})
    assert error_of(answer)["type"] == "invalid_request"


def test_it_is_rejected_as_a_whole_if_it_exceeds_a_limit(
    owner: RestEntryPoint, owner_member: Member, course: Any
) -> None:
    stored(ItemFactory, 999, member=owner_member, course=Course.objects.get())
    two = [deadline("a", "20261203", "Essay 1"), deadline("b", "20261204", "Essay 2")]
    assert error_of(send(owner, course, calendar(CANVAS, *two)))["type"] == "conflict"
    assert Item.objects.count() == 999
    assert len(imported(owner, course, two[0])["new"]) == 1


def test_the_61st_file_in_an_hour_is_rejected(
    owner: RestEntryPoint, course: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unreadable files count, too. A call without a file does not."""
    from studyservice.rates.limiter import Rate, hit

    member_id = str(Member.objects.get(email="owner@example.org").id)
    hit(Rate.CALENDAR_IMPORTS, member_id, 58)
    statuses = [send(owner, course, file).status_code for file in (b"", one_deadline(), b"no calendar", one_deadline())]
    assert statuses == [422, 200, 400, 429]


def test_a_retry_with_its_key_is_carried_out_once(owner: RestEntryPoint, course: Any) -> None:
    """The boundary of the form differs each time."""
    first = send(owner, course, one_deadline(), headers={"Idempotency-Key": "k"})
    path = f"/v1/courses/{course['id']}/calendar"
    data = multipart(one_deadline()).replace(b"BoUnDaRyStRiNg", b"OtherBorder")
    again = owner.client.generic(
        "POST",
        path,
        data,
        content_type="multipart/form-data; boundary=OtherBorder",
        headers={"Idempotency-Key": "k"},
    )
    assert (again.json(), again.headers["Idempotency-Replayed"]) == (first.json(), "true")
    other = send(owner, course, calendar(CANVAS), headers={"Idempotency-Key": "k"})
    assert fields_of(other) == ["Idempotency-Key"]


@pytest.mark.database("both")
def test_a_deleted_course_forgets_its_imported_events(owner: RestEntryPoint, course: Any) -> None:
    from planning.models import ImportedEvent

    imported(owner, course, deadline("a", "20261203", "Essay 1"))
    owner.made("delete_course", course_id=course["id"])
    assert not ImportedEvent.objects.exists()


def test_the_feed_imports_as_the_same_dates(owner: RestEntryPoint, owner_member: Member, course: Any) -> None:
    from tests.support.calendars import Subscription

    owner.made("create_item", course_id=course["id"], title="Midterm", due_on="2026-12-03", kind="exam")
    feed = Subscription(owner_member).fetch().content
    other = owner.made("create_course", name="Copy")
    new = told(ANY, "Midterm (Cell Biology)", "2026-12-03", uid=ANY, kind="exam")
    assert send(owner, other, feed).json()["new"] == [new]


def test_it_adds_one_change(owner: RestEntryPoint, course: Any) -> None:
    """With the created and changed items. An import without effect adds none."""
    first = imported(owner, course, deadline("a", "20261203", "Essay 1"))["new"][0]
    imported(owner, course, deadline("a", "20261203", "Essay 1"))
    imported(owner, course, deadline("a", "20261205", "Essay 1"), query="?dry_run=true")
    imported(owner, course, deadline("a", "20261205", "Essay 1"))
    rows = [row for row in owner.made("list_changes")["data"] if row["operation"] == "import_calendar"]
    assert [row["object"]["id"] for row in rows] == [first["item_id"]] * 2
    assert (rows[0]["before"], rows[0]["after"]) == ({"due_on": "2026-12-03"}, {"due_on": "2026-12-05"})
    assert rows[1]["before"] is None


def test_only_events_with_a_label_are_imported_and_all_labels_are_returned(owner: RestEntryPoint, course: Any) -> None:
    physics = owner.made("create_course", name="Physics")
    events = deadline("a", "20261203", "Essay [Physics]"), deadline("b", "20261204", "Quiz [Club]")
    answer = imported(owner, course, *events, query="?label=Club")
    assert [one["title"] for one in answer["new"]] == ["Quiz"]
    labels = [
        {"label": "Physics", "events": 1, "example": "Essay", "course_id": physics["id"], "ignored": False},
        {"label": "Club", "events": 1, "example": "Quiz", "course_id": None, "ignored": False},
    ]
    assert answer["labels"] == labels
    assert imported(owner, course, *events, query="?label=Physics")["gone"] == []
    whole = imported(owner, owner.made("create_course", name="All"), *events)
    assert [one["title"] for one in whole["new"]] == ["Essay [Physics]", "Quiz [Club]"]


def undo(entry_point: RestEntryPoint) -> Any:
    """Undo the newest import that is not undone. Return the answer."""
    rows = [row for row in entry_point.made("list_changes")["data"] if row["operation"] == "import_calendar"]
    return entry_point.call("undo_change", change_id=next(row["id"] for row in rows if row["undone_at"] is None))


def test_items_of_an_undone_import_count_as_deleted(owner: RestEntryPoint, course: Any) -> None:
    events = deadline("a", "20261203", "Essay 1"), deadline("b", "20261204", "Essay 2")
    imported(owner, course, *events)
    assert undo(owner).error is None
    assert dates(owner) == []
    again = imported(owner, course, *events)
    assert ([one["reason"] for one in again["skipped"]], again["new"]) == (["deleted", "deleted"], [])
    assert owner.call("delete_course", course_id=course["id"]).error is None


@pytest.mark.database("both")
def test_changes_undone_count_as_changed_by_the_member(owner: RestEntryPoint, course: Any) -> None:
    imported(owner, course, deadline("a", "20261203", "Essay 1"), deadline("b", "20261204", "Essay 2"))
    kept = owner.made("list_items")["data"][1]
    owner.made("update_item", item_id=kept["id"], title="Essay two")
    new_file = [
        deadline("a", "20261205", "Essay 1"),
        deadline("b", "20261204", "Second"),
        deadline("c", "20261209", "C"),
    ]
    before = dates(owner)
    first = imported(owner, course, *new_file, prodid=MOODLE)
    assert [len(first[name]) for name in ("new", "changed", "kept")] == [1, 1, 1]
    assert undo(owner).error is None
    assert dates(owner) == before
    skipped = [{"uid": "c", "title": "C", "reason": "deleted"}]
    assert imported(owner, course, *new_file, prodid=MOODLE) == nothing(unchanged=2, skipped=skipped)
    assert dates(owner) == before
    later = [deadline("a", "20261206", "Essay 1"), *new_file[1:]]
    [told_once] = imported(owner, course, *later, prodid=MOODLE)["kept"]
    assert told_once["file"] == {"title": "Essay 1", "due_on": "2026-12-06", "due_time": None}


def test_imports_can_only_be_undone_newest_first(owner: RestEntryPoint, course: Any) -> None:
    imported(owner, course, deadline("a", "20261203", "Essay 1"))
    imported(owner, course, deadline("a", "20261205", "Essay 1"))
    first = owner.made("list_changes")["data"][-2]
    assert first["operation"] == "import_calendar"
    assert owner.call("undo_change", change_id=first["id"]).error == "conflict"
    assert dates(owner) == [("Essay 1", "2026-12-05")]
    for left in ([("Essay 1", "2026-12-03")], []):
        assert undo(owner).error is None
        assert dates(owner) == left


def test_remembered_events_are_not_reported(owner: RestEntryPoint, course: Any) -> None:
    """Neither in the change nor in its undo. Two items are named as the first plus one more."""
    imported(owner, course, deadline("a", "20261203", "Essay 1"), deadline("b", "20261204", "Essay 2"))
    assert undo(owner).error is None
    undone, made = owner.made("list_changes")["data"][:2]
    fields = {"course_id", "title", "kind", "due_on", "items"}
    assert (set(made["after"]), made["after"]["items"], set(undone["before"])) == (fields, 1, fields)
    assert (made["before"], undone["after"]) == (None, None)


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
def test_two_imports_at_once_create_each_item_once(owner: RestEntryPoint, course: Any, in_threads: Any) -> None:
    answers = in_threads(lambda _: send(owner, course, one_deadline()).json(), [0, 1])
    assert sorted(len(answer.get("new", [])) for answer in answers) == [0, 1]
    assert len(dates(owner)) == 1

"""Importing a calendar file on the page of a course: upload, review, apply."""

from dataclasses import replace
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from accounts.models import Member
from courses.item_batches import ITEMS_OF_COURSE
from studyservice.changes.words import change_in_words
from tests.support.calendar_files import CANVAS, calendar, deadline, event
from tests.support.entry_points import RestEntryPoint
from tests.support.forms import Fields, form_with, row_of
from tests.support.samples import UNKNOWN_ID

pytestmark = [
    pytest.mark.rest,
    pytest.mark.django_db,
    pytest.mark.same_statements,
    pytest.mark.time_machine("2026-11-22T12:00:00Z", tick=False),
]

ESSAY = deadline("a", "20261203", "Essay 1")
QUIZ = deadline("b", "20261204", "Quiz 2")


def path_of(course: Any) -> str:
    return f"/courses/{course['id']}/calendar"


def read(browser: Client, course: Any, *events: str) -> str:
    """The page after sending a file with these events."""
    file = SimpleUploadedFile("calendar.ics", calendar(CANVAS, *events))
    page = browser.post(path_of(course), {"file": file})
    assert page.status_code == 200, page.content
    return page.content.decode()


def table(browser: Client, course: Any, *events: str) -> Fields:
    return form_with("calendar", read(browser, course, *events))


def take(browser: Client, course: Any, form: Fields, status: int = 302) -> Any:
    answer = browser.post(path_of(course), form)
    assert answer.status_code == status, answer.content.decode()
    return answer


def dates(owner: RestEntryPoint) -> list[tuple[str, str, str]]:
    return [(item["title"], item["kind"], item["due_on"]) for item in owner.made("list_items", limit=100)["data"]]


def test_only_selected_rows_are_imported_as_edited(browser: Client, owner: RestEntryPoint, course: Any) -> None:
    form = table(browser, course, ESSAY, QUIZ, deadline("c", "20261205", "Review session"))
    assert dates(owner) == []
    del form[f"{row_of(form, 'Review session')}-tick"]
    essay = row_of(form, "Essay 1")
    form |= {f"{essay}-title": ["Essay on cells"], f"{essay}-due_on": ["2026-12-02"], f"{essay}-kind": ["project"]}
    answer = take(browser, course, form)
    assert answer.headers["Location"] == f"/courses/{course['id']}"
    assert dates(owner) == [("Essay on cells", "project", "2026-12-02"), ("Quiz 2", "quiz", "2026-12-04")]
    assert "Done: 2 items added." in browser.get(answer.headers["Location"]).content.decode()


def test_it_is_one_undoable_change(browser: Client, owner: RestEntryPoint, course: Any) -> None:
    form = table(browser, course, ESSAY, QUIZ)
    take(browser, course, form)
    moved = table(browser, course, deadline("a", "20261210", "Essay 1"), deadline("c", "20261211", "Lab 3"))
    moved[f"{moved_gone(moved)}-tick"] = ["on"]
    take(browser, course, moved)
    assert dates(owner) == [("Essay 1", "paper", "2026-12-10"), ("Lab 3", "lab", "2026-12-11")]
    [change] = owner.made("list_changes", limit=1)["data"]
    assert change_in_words(change) == "imported a calendar file into the course “Cell Biology”"
    assert change["by"]["kind"] == "page"
    owner.made("undo_change", change_id=change["id"])
    assert dates(owner) == [("Essay 1", "paper", "2026-12-03"), ("Quiz 2", "quiz", "2026-12-04")]


def moved_gone(form: Fields) -> str:
    """The row without fields, for an event missing from the file."""
    keys = [mark.partition(":")[0] for mark in form["row"]]
    [gone] = [key for key in keys if f"{key}-title" not in form]
    return gone


def test_changed_rows_are_selected_and_deletions_never(browser: Client, owner: RestEntryPoint, course: Any) -> None:
    take(browser, course, table(browser, course, ESSAY, QUIZ))
    form = table(browser, course, deadline("a", "20261210", "Essay 1"))
    assert f"{row_of(form, 'Essay 1')}-tick" in form
    assert f"{moved_gone(form)}-tick" not in form
    take(browser, course, form)
    assert dates(owner) == [("Quiz 2", "quiz", "2026-12-04"), ("Essay 1", "paper", "2026-12-10")]


def test_unselected_rows_are_offered_again(browser: Client, owner: RestEntryPoint, course: Any) -> None:
    take(browser, course, table(browser, course, ESSAY))
    changed = deadline("a", "20261210", "Essay 1")
    form = table(browser, course, changed, QUIZ)
    del form[f"{row_of(form, 'Essay 1')}-tick"], form[f"{row_of(form, 'Quiz 2')}-tick"]
    take(browser, course, form)
    assert dates(owner) == [("Essay 1", "paper", "2026-12-03")]
    take(browser, course, table(browser, course, changed, QUIZ))
    assert dates(owner) == [("Quiz 2", "quiz", "2026-12-04"), ("Essay 1", "paper", "2026-12-10")]


def test_conflicts_are_shown_and_imported_only_if_selected(browser: Client, owner: RestEntryPoint, course: Any) -> None:
    take(browser, course, table(browser, course, ESSAY, QUIZ))
    essay, quiz = owner.made("list_items")["data"]
    for item, day in ((essay, "2026-12-01"), (quiz, "2026-12-02")):
        owner.made("update_item", item_id=item["id"], due_on=day)
    events = (deadline("a", "20261210", "Essay 1"), deadline("b", "20261211", "Quiz 2"))
    page = read(browser, course, *events)
    assert "You have Tue, 1 December 2026, and that stays unless you tick this." in page
    form = form_with("calendar", page)
    assert f"{row_of(form, 'Essay 1')}-tick" not in form
    form[f"{row_of(form, 'Quiz 2')}-tick"] = ["on"]
    take(browser, course, form)
    assert dates(owner) == [("Essay 1", "paper", "2026-12-01"), ("Quiz 2", "quiz", "2026-12-11")]
    assert "Nothing new: all 2 dates" in read(browser, course, *events)


def test_an_invalid_row_shows_its_error_and_keeps_the_input(
    browser: Client, owner: RestEntryPoint, course: Any
) -> None:
    form = table(browser, course, ESSAY, QUIZ)
    essay, quiz = row_of(form, "Essay 1"), row_of(form, "Quiz 2")
    form |= {f"{essay}-title": [" "], f"{quiz}-title": ["Quiz on cells"]}
    page = take(browser, course, form, status=422).content.decode()
    assert f'id="{essay}-errors"><li>Enter a title.' in page
    again = form_with("calendar", page)
    assert again[f"{quiz}-title"] == ["Quiz on cells"]
    assert dates(owner) == []
    del again[f"{essay}-tick"]
    take(browser, course, again)
    assert dates(owner) == [("Quiz on cells", "quiz", "2026-12-04")]


def test_rows_changed_meanwhile_are_shown_again_with_the_input(
    browser: Client, owner: RestEntryPoint, course: Any
) -> None:
    take(browser, course, table(browser, course, ESSAY, QUIZ))
    essay, _ = owner.made("list_items")["data"]
    form = table(browser, course, deadline("a", "20261210", "Essay 1"), deadline("b", "20261211", "Quiz 2"))
    form |= {f"{row_of(form, 'Essay 1')}-title": ["Mine"], f"{row_of(form, 'Quiz 2')}-title": ["Quiz on cells"]}
    owner.made("update_item", item_id=essay["id"], title="Essay one")
    page = take(browser, course, form, status=422).content.decode()
    assert "Something changed since you opened this table." in page
    assert "You had entered “Mine”, 2026-12-10." in page
    assert [title for title, _, _ in dates(owner)] == ["Essay one", "Quiz 2"]
    again = form_with("calendar", page)
    assert again[f"{row_of(again, 'Quiz on cells')}-due_on"] == ["2026-12-11"]
    take(browser, course, again)
    assert [title for title, _, _ in dates(owner)] == ["Essay one", "Quiz on cells"]


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("tables", "answered"), [("the same", [302, 302]), ("one each", [302, 422])])
def test_one_of_two_concurrent_forms_is_applied(
    browser: Client,
    owner: RestEntryPoint,
    course: Any,
    in_threads: Any,
    *,
    owner_member: Member,
    tables: str,
    answered: list[int],
) -> None:
    """A double click gets the same answer. The second of two different tables is shown again."""
    form = table(browser, course, ESSAY, QUIZ)
    if tables == "one each":
        del form["form_key"]

    def post(client: Client) -> int:
        return client.post(path_of(course), form).status_code

    clients = [Client(), Client()]
    for client in clients:
        client.force_login(owner_member)
    assert sorted(in_threads(post, clients)) == answered
    assert len(dates(owner)) == 2


def test_reviewed_rows_cannot_be_forged_or_used_elsewhere(browser: Client, owner: RestEntryPoint, course: Any) -> None:
    form = table(browser, course, ESSAY)
    other = owner.made("create_course", name="Botany")
    take(browser, other, form, status=422)
    form["calendar"] = [form["calendar"][0][:-3]]
    assert "Choose the file again" in take(browser, course, form, status=422).content.decode()
    assert dates(owner) == []


def test_a_full_course_keeps_the_table(browser: Client, owner: RestEntryPoint, course: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("courses.item_batches.ITEMS_OF_COURSE", replace(ITEMS_OF_COURSE, most=1))
    form = table(browser, course, ESSAY, QUIZ)
    page = take(browser, course, form, status=409).content.decode()
    assert "That is 1 too many" in page
    assert len(form_with("calendar", page)["row"]) == 2


@pytest.mark.database("sqlite", "reads files")
@pytest.mark.parametrize(
    ("file", "words"),
    [
        (b"no calendar", "This is no calendar."),
        (b"", "This file is empty."),
        (b"x" * (2 * 1024 * 1024 + 1), "The limit is 2 MB."),
    ],
)
def test_an_invalid_calendar_is_reported_at_the_field(browser: Client, course: Any, file: bytes, words: str) -> None:
    page = browser.post(path_of(course), {"file": SimpleUploadedFile("a.ics", file)})
    assert page.status_code in {400, 422}
    assert words in page.content.decode()


def test_skipped_events_are_listed(browser: Client, course: Any) -> None:
    page = read(browser, course, ESSAY, event("b", summary="Reading"))
    assert "<li>Reading: it has no date</li>" in page


def test_only_the_member_can_use_it(browser: Client, course: Any, stranger: RestEntryPoint) -> None:
    theirs = stranger.made("create_course", name="Botany")
    assert browser.get(path_of(theirs)).status_code == 404
    assert browser.get(path_of({"id": UNKNOWN_ID})).status_code == 404
    answer = Client().get(path_of(course))
    assert (answer.status_code, answer.headers["Location"]) == (302, f"/sign-in?next={path_of(course)}")


def test_too_many_files_are_rejected_with_the_time_to_wait(browser: Client, course: Any, owner_member: Member) -> None:
    from studyservice.rates.limiter import Rate, hit

    hit(Rate.CALENDAR_IMPORTS, str(owner_member.id), 60)
    page = browser.post(path_of(course), {"file": SimpleUploadedFile("a.ics", calendar(CANVAS, ESSAY))})
    assert (page.status_code, page.headers["Retry-After"]) == (429, "3600")
    assert "Send this one again in 60 minutes." in page.content.decode()


def test_only_evident_matches_are_preselected_and_each_course_once(
    browser: Client, owner: RestEntryPoint, course: Any
) -> None:
    algebra = owner.made("create_course", name="Linear Algebra")
    labels = ["Cell Biology", "Linear Algebra - Section 2", "Cell Biology - Lab", "Club"]
    events = [deadline(str(place), "20261203", f"Essay [{label}]") for place, label in enumerate(labels)]
    form = form_with("calendar", read(browser, course, *events, deadline("x", "20261204", "Party")))
    chosen = [form[f"label-{place}"] for place in range(5)]
    assert chosen == [[course["id"]], [algebra["id"]], [""], [""], [course["id"]]]


def test_a_calendar_of_several_courses_asks_for_a_label(browser: Client, owner: RestEntryPoint, course: Any) -> None:
    physics = owner.made("create_course", name="Physics")
    events = [
        deadline("a", "20261203", "Essay 1 [Cell Biology]"),
        deadline("b", "20261204", "Lab [Physics]"),
        deadline("c", "20261205", "Party [Club]"),
    ]
    asked = read(browser, course, *events)
    assert "Choose the courses" in asked
    form = form_with("calendar", asked)
    assert [one for place in range(3) for one in form[f"label-{place}"]] == [course["id"], physics["id"], ""]
    assert "Choose a course" in asked
    assert browser.post(path_of(course), form | {"choose": "yes"}).status_code == 422
    assert browser.post(path_of(course), form | {"choose": "yes", "label-2": "elsewhere"}).status_code == 422
    table = browser.post(path_of(course), form | {"choose": "yes", "label-2": "ignore"}).content.decode()
    done = browser.post(path_of(course), form_with("calendar", table), follow=True).content.decode()
    assert "Cell Biology: 1 item added. Physics: 1 item added." in done
    items = owner.made("list_items")["data"]
    assert [(one["title"], one["course_name"]) for one in items] == [("Essay 1", "Cell Biology"), ("Lab", "Physics")]
    changes = [row for row in owner.made("list_changes")["data"] if row["operation"] == "apply_calendar"]
    assert {row["object"]["id"] for row in changes} == {course["id"], physics["id"]}

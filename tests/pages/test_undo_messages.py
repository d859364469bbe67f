"""*Undo* in the message after a change on a page."""

import re
from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from time_machine import TimeMachineFixture

from accounts.models import Member
from tests.support.calendar_files import CANVAS, calendar, deadline
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.forms import form_with
from tests.support.internet import Internet
from tests.support.page_forms import form_paths
from tests.support.samples import UNKNOWN_ID
from tests.support.schools import URL, School, labelled

pytestmark = [pytest.mark.rest, pytest.mark.django_db, pytest.mark.time_machine("2026-09-01T12:00:00Z", tick=False)]

SYLLABUS = "HIST 101 Rome\n\nMidterm exam: Thursday, October 8, 2026\nEssay 1 due Monday, November 2, 2026\n"
CARD = {"term": "Forum", "definition": "A market place"}


class Account:
    """A browser, and an object of each kind.

    Attributes:
        page: the last answer, after its redirects.
        before: the ids of the changes before it.
    """

    def __init__(self, browser: Client, owner: RestEntryPoint, school: School) -> None:
        self.browser, self.owner, self.school = browser, owner, school
        categories = [{"name": "Homework", "weight": 40}, {"name": "Exams", "weight": 60}]
        course = owner.made("create_course", name="Rome", grade_categories=categories)
        self.course = f"/courses/{course['id']}"
        category = self.category = course["grade_categories"][0]["id"]
        self.item, self.other = (
            owner.made("create_item", course_id=course["id"], title=title, **fields)["id"]
            for title, fields in (("Essay", {"category_id": category}), ("Map", {}))
        )
        self.step = owner.made("create_milestone", item_id=self.item, title="Outline")["id"]
        score = {"category_id": category, "label": "Quiz", "score": 80}
        self.score = owner.made("add_grade_score", course_id=course["id"], **score)["id"]
        deck = owner.made("create_vocab_deck", name="Words", cards=[CARD])
        self.deck, self.card = f"/decks/{deck['id']}", deck["cards"][0]["id"]
        self.page: Any = None
        self.before: set[str] = set()

    def post(self, path: str, **fields: Any) -> str:
        self.before = {change["id"] for change in self.changes()}
        self.page = self.browser.post(path, fields, follow=True)
        content: str = self.page.content.decode()
        assert self.page.status_code == 200, content
        return content

    def save(self, path: str, field: str, **fields: Any) -> None:
        """Send the form with this field from a page."""
        self.post(path, **form_with(field, self.browser.get(path).content.decode()) | fields)

    def approve(self, path: str, field: str, to: str = "", **fields: Any) -> None:
        """Send a file or text, then the table that it becomes."""
        table = self.post(path, **fields)
        chain = self.page.redirect_chain
        self.post(chain[-1][0] if chain else path, **form_with(field, table))

    def school_calendar(self) -> str:
        """Add the school's calendar, and return the path of its page."""
        self.school.has(labelled("a", "20261203", "Report", "Rome"), labelled("b", "20261204", "Party", "Club"))
        self.save("/calendars", "url", url=URL)
        return str(self.page.redirect_chain[-1][0])

    def changes(self) -> list[Any]:
        return list(self.owner.made("list_changes", limit=100)["data"])

    def offered(self) -> list[list[str]]:
        """The changes that each *Undo* of the last answer would undo."""
        found = re.findall(
            r'formaction="/activity/([^/]+)/undo" name="also" value="([^"]*)"', self.page.content.decode()
        )
        return [[newest, *also.split()] for newest, also in found]

    def undo(self) -> str:
        """Press *Undo* of the last answer."""
        [[newest, *also]] = self.offered()
        [here] = re.findall(r'<form id="undo" .*?name="next" value="([^"]*)"', self.page.content.decode())
        return self.post(f"/activity/{newest}/undo", also=" ".join(also), next=unescape(here))


@pytest.fixture
def account(browser: Client, owner: RestEntryPoint, internet: Internet) -> Account:
    return Account(browser, owner, School(internet))


def two_courses(account: Account) -> None:
    account.owner.made("create_course", name="Greece")
    path = f"{account.course}/calendar"
    labels = account.post(path, file=a_calendar("Ode [Rome]", "Play [Greece]"))
    table = account.post(path, **form_with("calendar", labels), choose="yes")
    account.post(path, **form_with("calendar", table))


def a_calendar(*titles: str) -> SimpleUploadedFile:
    return SimpleUploadedFile("a.ics", calendar(CANVAS, *(deadline(title, "20261203", title) for title in titles)))


def a_file(name: str = "rome.txt") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, SYLLABUS.encode())


def delete_file(account: Account) -> None:
    account.approve("/courses/new", "name", file=a_file())
    course = account.page.redirect_chain[-1][0]
    [file] = account.owner.made("list_syllabi", course_id=course.removeprefix("/courses/"))["data"]
    account.browser.get("/courses")
    account.post(f"{course}/files/{file['id']}/delete")


def of_calendar(**fields: str) -> Callable[[Account], None]:
    def change(account: Account) -> None:
        account.post(account.school_calendar(), **fields)

    return change


FORMS: dict[str, Callable[[Account], object]] = {
    "add-line": lambda a: a.post("/add", line="Paper 12 Oct #rome"),
    "add-item": lambda a: a.post(f"{a.course}/items", title="Paper", kind="paper"),
    "item-categories": lambda a: a.save(f"{a.course}/items/categories", a.other, **{a.other: a.category}),
    "scores": lambda a: a.save(f"{a.course}/scores", a.item, **{a.item: "90"}),
    "scores of one": lambda a: a.post(f"{a.course}/scores", label="Test", score="17/20", category_id=a.category),
    "grade-categories": lambda a: a.save(f"{a.course}/categories", "known", **{f"{a.category}-name": "Work"}),
    "change-score": lambda a: a.post(f"/scores/{a.score}", score="70", label="Quiz", category_id=a.category),
    "delete-score": lambda a: a.post(f"/scores/{a.score}/delete"),
    "item": lambda a: a.save(f"/items/{a.item}", "note", title="Long essay"),
    "item unchanged": lambda a: a.save(f"/items/{a.item}", "note"),
    "add-milestone": lambda a: a.post(f"/items/{a.item}/milestones", title="Draft"),
    "milestone": lambda a: a.post(f"/milestones/{a.step}", title="Plan", place="1"),
    "delete-milestone": lambda a: a.post(f"/milestones/{a.step}/delete"),
    "tick-item": lambda a: a.post(f"/items/{a.item}/done", done="true", next=a.course),
    "tick-milestone": lambda a: a.post(f"/milestones/{a.step}/done", done="true", next="/"),
    "move-item": lambda a: a.post(f"/items/{a.item}/move", do="tomorrow", next="/"),
    "move-milestone": lambda a: a.post(f"/milestones/{a.step}/move", due_on="2027-01-08", next="/upcoming"),
    "import-calendar": lambda a: a.approve(f"{a.course}/calendar", "calendar", file=a_calendar("Paper")),
    "import-calendar of two courses": two_courses,
    "calendars": lambda a: a.school_calendar(),
    "calendar named": of_calendar(do="save", name="Mine"),
    "calendar accepted": of_calendar(do="accept"),
    "calendar refused": of_calendar(do="refuse"),
    "calendar paused": of_calendar(do="pause"),
    "delete-calendar": lambda a: a.post(f"{a.school_calendar()}/delete"),
    "new-course": lambda a: a.approve("/courses/new", "name", text=SYLLABUS),
    "review-syllabus": lambda a: a.approve("/courses/new", "name", file=a_file()),
    "new-course-by-hand": lambda a: a.post("/courses/new/by-hand", name="Greece"),
    "new-syllabus": lambda a: a.approve(f"{a.course}/syllabus", "approve", text=SYLLABUS),
    "review-new-syllabus": lambda a: a.approve(f"{a.course}/syllabus", "approve", file=a_file()),
    "delete-file": delete_file,
    "change-course": lambda a: a.save(f"{a.course}/change", "name", name="Ancient Rome"),
    "end-course": lambda a: a.post(f"{a.course}/end"),
    "reopen-course": lambda a: (a.post(f"{a.course}/end"), a.post(f"{a.course}/reopen")),
    "delete-course": lambda a: a.post(f"{a.course}/delete"),
    "delete-item": lambda a: a.post(f"{a.course}/items/{a.item}/delete"),
    "deck": lambda a: a.post(a.deck, term="Via", definition="A road"),
    "new-deck": lambda a: a.post("/decks/new", name="More words", term="Via", definition="A road"),
    "change-deck": lambda a: a.save(f"{a.deck}/change", "name", name="Latin"),
    "delete-deck": lambda a: a.post(f"{a.deck}/delete"),
    "import-decks": lambda a: a.post("/decks/import", file=SimpleUploadedFile("a.csv", b"term,definition\na,b\n")),
    "card": lambda a: a.save(f"{a.deck}/cards/{a.card}", "term", term="Forum Romanum"),
    "change-cards suspended": lambda a: a.post(f"{a.deck}/cards", suspend=a.card),
    "change-cards deleted": lambda a: a.post(f"{a.deck}/cards", delete=a.card),
}
"""A change by each form, by the name of its route; a second word tells forms of a route apart."""

OTHERS = {
    "account": "no study data",
    "dismiss-assistant": "no study data",
    "keys": "no study data",
    "limit-app": "no study data",
    "limit-key": "no study data",
    "study": "the page has its own Undo last",
    "study-deck": "the page has its own Undo last",
    "study-item": "the page has its own Undo last",
    "undo-answer": "an undo",
    "undo-answer-deck": "an undo",
    "undo-answer-item": "an undo",
    "undo-change": "an undo",
    "undo-today": "an undo",
}
"""Forms without *Undo*, with the reason."""


@pytest.mark.same_statements
def test_every_form_of_study_data_is_tried(browser: Client) -> None:
    """A new form fails here until `FORMS` has it."""
    assert form_paths(browser).keys() == {name.partition(" ")[0] for name in FORMS} | OTHERS.keys()


@each("form", FORMS)
def test_a_message_undoes_exactly_what_its_form_changed(account: Account, form: str) -> None:
    FORMS[form](account)
    made = [change for change in account.changes() if change["id"] not in account.before]
    undoable = [change["id"] for change in made if change["undoable"]]
    assert account.offered() == ([undoable] if undoable else [])
    assert 'form="undo"' not in account.browser.get(account.page.request["PATH_INFO"]).content.decode()
    if undoable:
        assert "Undone: " in account.undo()
        assert account.offered() == []
        assert {change["id"] for change in account.changes() if change["undone_at"]} == {*undoable}


def titles(account: Account) -> set[str]:
    return {item["title"] for item in account.owner.made("list_items", limit=100)["data"]}


def test_changes_of_several_courses_are_undone_all_or_none(account: Account) -> None:
    two_courses(account)
    [[*_, first]] = account.offered()
    [ode] = [item for item in account.owner.made("list_items")["data"] if item["title"] == "Ode"]
    account.owner.made("update_item", item_id=ode["id"], title="Long ode")
    both = titles(account)
    assert "Nothing was undone. The title of “Ode” was changed since." in account.undo()
    assert titles(account) == both
    [before] = [change for change in account.changes() if change["id"] == first]
    assert before["undone_at"] is None


def test_the_member_returns_to_the_page(account: Account) -> None:
    """With its query. From the page of a course that the undo deletes, to the list."""
    account.post(f"{account.course}/items", title="Paper", kind="paper")
    account.undo()
    assert account.page.redirect_chain == [(f"{account.course}?open=add-item", 302)]
    account.post("/courses/new/by-hand", name="Greece")
    account.undo()
    assert account.page.redirect_chain == [("/courses", 302)]


def test_an_undo_of_an_undone_or_expired_change_says_why(
    account: Account, owner_member: Member, time_machine: TimeMachineFixture
) -> None:
    account.post(f"{account.course}/end")
    [[ended]] = account.offered()
    account.undo()
    assert "Nothing was undone. This change was already undone." in account.post(f"/activity/{ended}/undo")
    account.post(f"{account.course}/end")
    [[ended]] = account.offered()
    time_machine.move_to("2026-10-02T12:00:00Z")
    account.browser.force_login(owner_member)
    assert "Nothing was undone. Changes can be undone for 30 days." in account.post(f"/activity/{ended}/undo")


@each("also", ["", "nonsense", UNKNOWN_ID, " ".join([UNKNOWN_ID] * 500)])
def test_an_undo_with_another_members_change_is_refused(account: Account, stranger: RestEntryPoint, also: str) -> None:
    stranger.made("create_course", name="Greece")
    [theirs] = stranger.made("list_changes")["data"]
    account.post(f"{account.course}/end")
    [[ended]] = account.offered()
    first = ended if also else theirs["id"]
    answer = account.browser.post(f"/activity/{first}/undo", {"also": also})
    assert (answer.status_code, account.changes()[0]["undone_at"]) == (404, None)


def test_a_lapsed_member_is_told_to_renew(account: Account, owner_member: Member) -> None:
    account.post(f"{account.course}/end")
    [[ended]] = account.offered()
    Member.objects.filter(id=owner_member.id).update(membership_active=False)
    answer = account.browser.post(f"/activity/{ended}/undo")
    assert (answer.status_code, "no active membership" in answer.content.decode()) == (403, True)


def test_after_signing_in_again_the_list_has_the_change(account: Account, owner_member: Member) -> None:
    account.post(f"{account.course}/end")
    [[ended]] = account.offered()
    account.browser.logout()
    path = f"/activity/{ended}/undo"
    assert account.browser.post(path).headers["Location"] == f"/sign-in?next={path}"
    account.browser.force_login(owner_member)
    assert f'action="{path}"' in account.browser.get(path, follow=True).content.decode()


def test_with_a_stale_token_nothing_is_undone(account: Account) -> None:
    two_courses(account)
    [[newest, *also]] = account.offered()
    account.browser.handler.enforce_csrf_checks = True
    fields = {"also": " ".join(also), "next": "/"}
    answer = account.browser.post(f"/activity/{newest}/undo", fields, headers={"Origin": "http://testserver"})
    page = answer.content.decode()
    assert (answer.status_code, "This page was out of date" in page) == (403, True)
    assert also[0] not in page
    assert not any(change["undone_at"] for change in account.changes())


def test_a_form_sent_twice_offers_the_same_undo(account: Account) -> None:
    form = form_with("title", account.browser.get(account.course).content.decode()) | {"title": "Paper"}
    path = f"{account.course}/items"
    account.post(path, **form)
    offered = account.offered()
    account.post(path, **form)
    assert account.offered() == offered
    assert len(offered[0]) == 1

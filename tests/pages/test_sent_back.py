"""A form that cannot be saved comes back with what the member typed, and says why."""

import re
from html import unescape
from typing import Any

import pytest
from django.test import Client

from accounts.models import Member
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.forms import form_with
from tests.support.page_forms import form_paths
from tests.support.samples import UNKNOWN_ID

pytestmark = [pytest.mark.rest, pytest.mark.django_db, pytest.mark.database("sqlite", "pages call tested operations")]

DONE_ALREADY = {"undo-answer-deck", "undo-answer-item"}
"""Forms whose object may be gone, as after a second click."""

HERE = {"Origin": "http://testserver"}
NOTE = "Two pages about <b>cells</b>.\nAsk Ada & Bo."


def signed_in(member: Member, *, checks: bool = False) -> Client:
    client = Client(enforce_csrf_checks=checks)
    client.force_login(member)
    return client


@pytest.fixture
def browser(owner_member: Member) -> Client:
    return signed_in(owner_member)


@pytest.fixture
def item(owner: RestEntryPoint) -> Any:
    course = owner.made("create_course", name="Biology")
    return owner.made("create_item", course_id=course["id"], title="Essay", due_on="2027-03-01")


def edited(browser: Client, item: Any) -> dict[str, Any]:
    """The form of the item with a note."""
    return form_with("note", browser.get(f"/items/{item['id']}").content.decode()) | {"note": NOTE}


def texts(response: Any) -> list[str]:
    """The values of visible fields."""
    page = response.content.decode()
    found = re.findall(r"<textarea[^>]*>\n?(.*?)</textarea>|<input id=[^>]* value=\"([^\"]*)\"", page, re.DOTALL)
    return [unescape(long or short) for long, short in found]


def test_a_form_of_a_deleted_item_comes_back(browser: Client, owner: RestEntryPoint, item: Any) -> None:
    """With what was typed and nothing else. After an undo of the deletion it can be sent again."""
    form = edited(browser, item)
    owner.made("delete_item", item_id=item["id"])
    response = browser.post(f"/items/{item['id']}", form, headers=HERE)
    assert response.status_code == 404
    assert "it was deleted since you opened the page" in response.content.decode()
    assert texts(response) == [NOTE]
    assert response.headers["Cache-Control"] == "no-store"
    [deletion] = owner.made("list_changes", limit=1)["data"]
    owner.made("undo_change", change_id=deletion["id"])
    again = form_with("note", response.content.decode())
    assert browser.post(f"/items/{item['id']}", again, headers=HERE).status_code == 302
    stored = owner.made("get_item", item_id=item["id"])
    assert (stored["note"], stored["title"], stored["due_on"]) == (NOTE, "Essay", "2027-03-01")


@each("kind", ["item", "course", "milestone", "deck", "card"])
def test_every_form_of_study_data_comes_back(browser: Client, owner: RestEntryPoint, kind: str) -> None:
    course = owner.made("create_course", name="Biology")
    item = owner.made("create_item", course_id=course["id"], title="Essay")
    step = owner.made("create_milestone", item_id=item["id"], title="Outline")
    card = {"term": "Nucleus", "definition": "Holds the DNA"}
    deck = owner.made("create_vocab_deck", name="Cells", cards=[card])
    card_id = deck["cards"][0]["id"]
    forms: dict[str, tuple[str, dict[str, str]]] = {
        "item": (f"/courses/{course['id']}/items", {"title": "A new essay", "kind": "paper"}),
        "course": (f"/courses/{course['id']}/change", {"name": "A new essay"}),
        "milestone": (f"/milestones/{step['id']}", {"title": "A new essay", "place": "1"}),
        "deck": (f"/decks/{deck['id']}/change", {"name": "A new essay"}),
        "card": (f"/decks/{deck['id']}/cards/{card_id}", {"term": "A new essay", "definition": "Text"}),
    }
    owner.made("delete_course", course_id=course["id"])
    owner.made("delete_vocab_deck", deck_id=deck["id"])
    path, form = forms[kind]
    response = browser.post(path, form, headers=HERE)
    assert response.status_code == 404
    assert "A new essay" in texts(response)


def test_every_form_comes_back_after_its_object_or_token_is_gone(owner_member: Member) -> None:
    """To a page of this site only, and not after the end of the session. A token that never was is as a stale one."""
    sent = {"title": "A new essay"}
    for name, path in form_paths(signed_in(owner_member)).items():
        browser = signed_in(owner_member, checks=True)
        stale = browser.post(path, sent, headers=HERE)
        assert (name, stale.status_code, texts(stale)) == (name, 403, ["A new essay"])
        valid = form_with("title", stale.content.decode())
        if UNKNOWN_ID in path and name not in DONE_ALREADY:
            gone = browser.post(path, valid, headers=HERE)
            assert (name, gone.status_code, texts(gone)) == (name, 404, ["A new essay"])
        elsewhere = browser.post(path, sent, headers={"Origin": "https://evil.example"})
        browser.logout()
        ended = browser.post(path, sent, headers=HERE)
        assert (name, elsewhere.status_code) == (name, 403)
        assert ended.status_code == 403 or ended.headers["Location"] == f"/sign-in?next={path}"
        for answer in (elsewhere, ended):
            assert "A new essay" not in answer.content.decode(), name


@each("checked", ["the token of another session", ""])
def test_a_form_with_a_stale_token_comes_back(owner_member: Member, owner: RestEntryPoint, checked: str) -> None:
    """It has a new token and can be sent again."""
    browser = signed_in(owner_member, checks=True)
    course = owner.made("create_course", name="Biology")
    item = owner.made("create_item", course_id=course["id"], title="Essay")
    path = f"/items/{item['id']}"
    form = edited(browser, item) | {"csrfmiddlewaretoken": checked}
    response = browser.post(path, form, headers=HERE)
    assert response.status_code == 403
    assert "you signed in again since you opened the page" in response.content.decode()
    assert texts(response) == [NOTE]
    assert owner.made("get_item", item_id=item["id"])["note"] is None
    assert browser.post(path, form_with("note", response.content.decode()), headers=HERE).status_code == 302
    assert owner.made("get_item", item_id=item["id"])["note"] == NOTE


OTHERS: list[dict[str, str]] = [
    {},
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "https://evil.example", "Sec-Fetch-Site": "same-origin"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "none"},
]


@each("headers", OTHERS)
def test_what_another_site_sent_does_not_come_back(
    owner_member: Member, owner: RestEntryPoint, headers: dict[str, str]
) -> None:
    for checks, status in ((False, 404), (True, 403)):
        browser = signed_in(owner_member, checks=checks)
        path = "/items/00000000-0000-4000-8000-000000000000"
        response = browser.post(path, {"title": "Planted", "note": "Planted"}, headers=headers)
        assert response.status_code == status
        assert "Planted" not in response.content.decode()


def test_the_browsers_word_for_the_site_is_enough(browser: Client) -> None:
    """Some browsers send no `Origin` with a form."""
    path = "/items/00000000-0000-4000-8000-000000000000"
    response = browser.post(path, {"note": NOTE}, headers={"Sec-Fetch-Site": "same-origin"})
    assert texts(response) == [NOTE]


def test_nothing_comes_back_after_the_end_of_a_session(owner_member: Member, item: Any) -> None:
    browser = signed_in(owner_member, checks=True)
    form = edited(browser, item)
    path = f"/items/{item['id']}"
    browser.cookies.pop("sessionid")
    valid = browser.post(path, form, headers=HERE)
    assert (valid.status_code, valid.headers["Location"]) == (302, f"/sign-in?next={path}")
    stale = browser.post(path, form | {"csrfmiddlewaretoken": "x"}, headers=HERE)
    assert stale.status_code == 403
    assert "Ada" not in stale.content.decode()


@each("path", ["/account/password", "/account/erase", "/sign-in"])
def test_secrets_never_come_back(owner_member: Member, path: str) -> None:
    browser = signed_in(owner_member, checks=True)
    response = browser.post(path, {"password": "correct horse", "new_password1": "correct horse"}, headers=HERE)
    assert "correct horse" not in response.content.decode()


def test_a_file_must_be_chosen_again(owner_member: Member, owner: RestEntryPoint) -> None:
    from django.core.files.uploadedfile import SimpleUploadedFile

    browser = signed_in(owner_member, checks=True)
    file = SimpleUploadedFile("cells.csv", b"term,definition\na,b\n")
    response = browser.post("/decks/import", {"name": "Cells", "file": file}, headers=HERE)
    assert response.status_code == 403
    assert texts(response) == ["Cells"]
    assert "choose the file there" in response.content.decode()


def test_the_table_of_an_expired_upload_comes_back(browser: Client) -> None:
    path = "/courses/new/00000000-0000-4000-8000-000000000000"
    response = browser.post(path, {"approve": "1", "row-1-title": "An essay that I renamed"}, headers=HERE)
    assert response.status_code == 404
    assert "We delete a file after a day" in response.content.decode()
    assert "An essay that I renamed" in texts(response)


def test_an_unknown_address_is_still_a_wrong_address(browser: Client) -> None:
    assert "Check the address for typos" in browser.get("/items/nothing").content.decode()
    assert "Check the address for typos" in browser.post("/nothing", {"note": NOTE}, headers=HERE).content.decode()

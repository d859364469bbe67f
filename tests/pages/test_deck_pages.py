"""The pages of decks and cards: counts, search, adding, changing, suspending, deleting, downloading."""

import re
from typing import Any

import pytest
from django.test import Client

from accounts.models import Member
from tests.support.entry_points import RestEntryPoint
from tests.support.forms import form_with
from tests.support.statements import named
from tests.support.vocabulary import deck_with_cards, made_deck, reviewed

pytestmark = [
    pytest.mark.database("sqlite", "pages call tested operations"),
    pytest.mark.rest,
    pytest.mark.django_db,
]

MOST_STATEMENTS = 8
UNKNOWN = "00000000-0000-4000-8000-000000000000"


def text_of(browser: Client, path: str) -> str:
    response = browser.get(path)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def terms(page: str) -> list[str]:
    return re.findall(r'<a id="t\d+"[^>]*>(.*?)</a>', page)


def card_named(owner: RestEntryPoint, deck: Any, term: str) -> Any:
    [card] = [card for card in deck_with_cards(owner, deck)["cards"] if card["term"] == term]
    return card


def operations(owner: RestEntryPoint) -> list[str]:
    return [change["operation"] for change in owner.made("list_changes")["data"]]


def test_the_list_shows_the_counts_of_each_deck(browser: Client, owner: RestEntryPoint, course: Any) -> None:
    """The new cards allowed today are shared by all decks, so the numbers of decks do not add up."""
    owner.made("update_me", new_cards_a_day=2)
    cells = made_deck(owner, "Mitosis", "Osmosis", "Meiosis", name="Cells", course_id=course["id"])
    made_deck(owner, "Keramos", "Pithos", name="Clay")
    reviewed(owner, cells["cards"][0], "easy")
    page = text_of(browser, "/decks")
    counts = re.findall(r"<dt>(\w+)</dt><dd>(\d+)</dd>", page)
    assert counts == [
        *zip(("Today", "New", "Cards"), "123", strict=True),
        *zip(("Today", "New", "Cards"), "122", strict=True),
    ]
    assert "1 card to study today" in page
    assert f'href="/decks/{cells["id"]}/study">Study<span class="unseen"> Cells</span>' in page
    for path in ("/decks/import", "/decks/new", "/study", f"/courses/{course['id']}"):
        assert f'href="{path}"' in page


def test_an_empty_list_shows_how_to_add_decks(browser: Client) -> None:
    page = text_of(browser, "/decks")
    assert "No decks yet" in page
    assert 'href="/decks/import"' in page


def test_a_deck_lists_its_cards_in_order_of_addition(browser: Client, owner: RestEntryPoint) -> None:
    deck = made_deck(owner, "Mitosis", "Osmosis", "Meiosis")
    reviewed(owner, deck["cards"][0], "easy")
    owner.made("update_vocab_card", card_id=deck["cards"][1]["id"], suspended=True)
    page = text_of(browser, f"/decks/{deck['id']}")
    assert terms(page) == ["Mitosis", "Osmosis", "Meiosis"]
    hints = re.findall(r'<span class="hint">([^<]*)</span></span><button', page)
    assert hints == ["due in 8 days", "suspended", "new"]
    assert 'aria-labelledby="d1 t1" class="quiet small">Delete' in page
    assert 'aria-labelledby="s2 t2" class="quiet small">Resume' in page
    assert f'href="/decks/{deck["id"]}/export?format=anki"' in page


def test_a_card_due_later_today_shows_the_time(browser: Client, owner: RestEntryPoint, time_machine: Any) -> None:
    time_machine.move_to("2026-11-23T14:55:00Z")
    deck = made_deck(owner, "Mitosis")
    reviewed(owner, deck["cards"][0], "again")
    page = text_of(browser, f"/decks/{deck['id']}")
    assert re.findall(r'<span class="hint">(due [^<]*)</span>', page) == ["due today at 15:56"], "in Paris"


def test_a_deck_added_from_a_course_belongs_to_it(browser: Client, course: Any) -> None:
    path = f"/decks/new?course={course['id']}"
    assert f'href="{path}"' in text_of(browser, f"/courses/{course['id']}")
    assert f'<option value="{course["id"]}" selected>' in text_of(browser, path)
    for other in (UNKNOWN, "none", "\x00"):
        assert " selected>" not in text_of(browser, f"/decks/new?course={other}")


@pytest.mark.parametrize(
    ("q", "found"),
    [
        ("MITO", ["Mitosis"]),
        ("what osmosis", ["Osmosis"]),
        ("STRASSE", ["Straße"]),
        ("100 %", ["100 %"]),
        ("_", ["a_b"]),
        ("%", ["100 %"]),
        ("e\u0301", ["É"]),
        ("nothing", []),
    ],
)
def test_cards_can_be_searched(browser: Client, owner: RestEntryPoint, q: str, found: list[str]) -> None:
    deck = made_deck(owner, "Mitosis", "Osmosis", "Straße", "100 %", "a_b", "É")
    response = browser.get(f"/decks/{deck['id']}", {"q": q})
    assert terms(response.content.decode()) == found


def test_a_double_click_adds_one_card(browser: Client, owner: RestEntryPoint) -> None:
    deck = made_deck(owner, "Mitosis")
    path = f"/decks/{deck['id']}"
    form = form_with("term", text_of(browser, path)) | {"term": " Osmosis ", "definition": "Water\r\nmoves."}
    for _ in range(2):
        response = browser.post(path, form)
        assert (response.status_code, response.headers["Location"]) == (302, f"{path}?add=1")
    card = card_named(owner, deck, "Osmosis")
    assert card["definition"] == "Water\nmoves."
    assert operations(owner) == ["add_vocab_cards", "create_vocab_deck"]
    page = text_of(browser, f"{path}?add=1")
    assert '<details class="add-card" open>' in page


def test_a_rejected_card_is_shown_with_its_input(browser: Client, owner: RestEntryPoint) -> None:
    deck = made_deck(owner, "Mitosis")
    response = browser.post(f"/decks/{deck['id']}", {"term": "x" * 201, "definition": " "})
    page = response.content.decode()
    assert response.status_code == 422
    assert "Use at most 200 characters." in page
    assert "Enter a definition." in page
    assert form_with("definition", page)["term"] == ["x" * 201]
    assert operations(owner) == ["create_vocab_deck"]
    long = browser.post(f"/decks/{deck['id']}", {"term": "lines", "definition": "\r\n".join(["x" * 999] * 2)})
    assert long.status_code == 302, "a line end is one character"


def test_a_full_deck_rejects_a_card(browser: Client, owner: RestEntryPoint) -> None:
    deck = made_deck(owner, *(f"Term {number}" for number in range(500)))
    page = text_of(browser, f"/decks/{deck['id']}")
    assert "This deck is full." in page
    response = browser.post(f"/decks/{deck['id']}", {"term": "one", "definition": "more"})
    assert response.status_code == 409
    assert "A deck has at most 500 cards." in response.content.decode()
    assert form_with("term", response.content.decode())["definition"] == ["more"]


def test_only_changed_fields_of_a_card_are_saved(browser: Client, owner: RestEntryPoint) -> None:
    """Changes by an app are kept, and line ends rewritten by a browser do not count as changes."""
    deck = made_deck(owner, "Mitosis")
    card = deck["cards"][0]
    owner.made("update_vocab_card", card_id=card["id"], definition="Division\r\nof a cell")
    before = operations(owner)
    path = f"/decks/{deck['id']}/cards/{card['id']}"
    form = form_with("term", text_of_raw(browser, path))
    assert form["definition"] == ["Division\r\nof a cell"]
    response = browser.post(path, form | {"definition": "Division\r\nof a cell"})
    assert response.headers["Location"] == f"/decks/{deck['id']}#card-{card['id']}"
    assert operations(owner) == before
    owner.made("update_vocab_card", card_id=card["id"], term="mitosis")
    browser.post(path, form | {"definition": "Division", "suspended": "on"})
    [stored] = deck_with_cards(owner, deck)["cards"]
    assert (stored["term"], stored["definition"], stored["suspended"]) == ("mitosis", "Division", True)
    [change] = owner.made("list_changes", limit=1)["data"]
    assert (change["operation"], change["by"]["kind"], change["undoable"]) == ("update_vocab_card", "page", True)
    assert change["after"].keys() == {"definition", "suspended"}
    refused = browser.post(path, form | {"term": ""})
    assert refused.status_code == 422
    assert "Enter a term." in refused.content.decode()
    hidden = re.findall(r'<input[^>]*type="hidden"[^>]*>', refused.content.decode())
    assert not [field for field in hidden if "aria-" in field], "HTML has no such character"


def text_of_raw(browser: Client, path: str) -> str:
    return browser.get(path).content.decode()


def test_a_card_can_be_suspended_and_deleted_in_the_list(browser: Client, owner: RestEntryPoint) -> None:
    deck = made_deck(owner, "Mitosis", "Osmosis", "Meiosis")
    ids = {card["term"]: card["id"] for card in deck["cards"]}
    path = f"/decks/{deck['id']}"

    def press(button: str, term: str, **also: str) -> str:
        response = browser.post(f"{path}/cards", {button: ids[term], **also})
        assert response.status_code == 302
        return str(response.headers["Location"])

    assert press("suspend", "Osmosis", q="osm") == f"{path}?q=osm#card-{ids['Osmosis']}"
    assert card_named(owner, deck, "Osmosis")["suspended"] is True
    press("suspend", "Osmosis")
    assert operations(owner) == ["update_vocab_card", "create_vocab_deck"], "it sets the state and does not toggle it"
    press("resume", "Osmosis")
    assert card_named(owner, deck, "Osmosis")["suspended"] is False
    assert press("delete", "Osmosis") == f"{path}#card-{ids['Meiosis']}"
    assert press("delete", "Meiosis") == f"{path}#card-{ids['Mitosis']}"
    assert "“Meiosis” is deleted." in text_of(browser, path)
    assert press("delete", "Mitosis") == path
    assert "This deck has no cards." in text_of(browser, path)
    newest = owner.made("list_changes", limit=1)["data"][0]
    owner.made("undo_change", change_id=newest["id"])
    assert terms(text_of(browser, path)) == ["Mitosis"]
    assert browser.post(f"{path}/cards", {"delete": ids["Osmosis"]}).status_code == 404
    assert browser.post(f"{path}/cards", {"burn": ids["Mitosis"]}).status_code == 404


def test_a_deck_is_created_with_its_first_card(browser: Client, owner: RestEntryPoint, course: Any) -> None:
    form = form_with("term", text_of(browser, "/decks/new"))
    assert browser.post("/decks/new", form).status_code == 422
    sent = form | {"name": "Cells", "course_id": course["id"], "term": "Mitosis", "definition": "Division"}
    first, second = (browser.post("/decks/new", sent) for _ in range(2))
    [deck] = owner.made("list_vocab_decks")["data"]
    assert first.headers["Location"] == second.headers["Location"] == f"/decks/{deck['id']}?add=1"
    assert (deck["name"], deck["course_name"], deck["card_count"]) == ("Cells", "Cell Biology", 1)


def test_name_and_course_of_a_deck_can_be_changed(
    browser: Client, owner: RestEntryPoint, stranger: RestEntryPoint, course: Any
) -> None:
    deck = made_deck(owner, "Mitosis", name="Cells", course_id=course["id"])
    path = f"/decks/{deck['id']}/change"
    form = form_with("name", text_of(browser, path))
    browser.post(path, form)
    assert operations(owner)[0] == "create_vocab_deck"
    browser.post(path, form | {"name": "Zellen", "course_id": ""})
    [stored] = owner.made("list_vocab_decks")["data"]
    assert (stored["name"], stored["course_id"]) == ("Zellen", None)
    assert owner.made("list_changes", limit=1)["data"][0]["operation"] == "update_vocab_deck"
    theirs = stranger.made("create_course", name="Botany")["id"]
    for wrong, words in (({"name": " "}, "Enter a name"), ({"course_id": theirs}, "Choose one of your courses")):
        refused = browser.post(path, form | wrong)
        assert refused.status_code == 422
        assert words in refused.content.decode()


def test_a_deck_is_deleted_after_confirmation(browser: Client, owner: RestEntryPoint) -> None:
    deck = made_deck(owner, "Mitosis")
    path = f"/decks/{deck['id']}/delete"
    assert "its 1 card with" in text_of(browser, path)
    assert browser.post(path).headers["Location"] == "/decks"
    assert owner.made("list_vocab_decks")["data"] == []
    assert browser.post(path).status_code == 404
    owner.made("undo_change", change_id=owner.made("list_changes", limit=1)["data"][0]["id"])
    assert terms(text_of(browser, f"/decks/{deck['id']}")) == ["Mitosis"]


@pytest.mark.parametrize(
    ("query", "name", "content"),
    [
        ("", "Cells.csv", b"\xef\xbb\xbfterm,definition\r\nMitosis,What Mitosis is.\r\n"),
        ("?format=tsv", "Cells.tsv", b"\xef\xbb\xbfterm\tdefinition\r\nMitosis\tWhat Mitosis is.\r\n"),
    ],
)
def test_a_deck_can_be_downloaded(
    browser: Client, owner: RestEntryPoint, query: str, name: str, content: bytes
) -> None:
    deck = made_deck(owner, "Mitosis", name="Cells")
    response = browser.get(f"/decks/{deck['id']}/export{query}")
    assert response.content == content
    assert response.headers["Content-Disposition"] == f'attachment; filename="{name}"'
    assert browser.get(f"/decks/{deck['id']}/export?format=pdf").status_code == 404


def test_other_members_objects_are_not_found(browser: Client, owner: RestEntryPoint, stranger: RestEntryPoint) -> None:
    """Nor is a card under another deck."""
    theirs = made_deck(stranger, "Moss")
    mine, other = made_deck(owner, "Mitosis"), made_deck(owner, "Osmosis", name="Other")
    card, foreign = mine["cards"][0]["id"], theirs["cards"][0]["id"]
    decks = [theirs["id"], UNKNOWN]
    paths = [f"/decks/{deck}{rest}" for deck in decks for rest in ("", "/change", "/delete", "/export")]
    paths += [f"/decks/{theirs['id']}/cards/{foreign}", f"/decks/{mine['id']}/cards/{foreign}"]
    paths += [f"/decks/{other['id']}/cards/{card}"]
    assert {path: browser.get(path).status_code for path in paths} == dict.fromkeys(paths, 404)
    for deck, one in ((theirs["id"], foreign), (mine["id"], foreign), (other["id"], card)):
        assert browser.post(f"/decks/{deck}/cards", {"delete": one}).status_code == 404
    assert browser.post(f"/decks/{theirs['id']}", {"term": "a", "definition": "b"}).status_code == 404
    assert deck_with_cards(stranger, theirs)["card_count"] == 1


def test_a_lapsed_member_sees_a_notice(browser: Client, owner: RestEntryPoint) -> None:
    deck = made_deck(owner, "Mitosis")
    card = deck["cards"][0]["id"]
    Member.objects.update(membership_active=False)
    for path in (
        "",
        "/new",
        *(f"/{deck['id']}{rest}" for rest in ("", "/change", "/delete", "/export", f"/cards/{card}")),
    ):
        response = browser.get(f"/decks{path}")
        assert response.status_code == 403, path
        assert "Your membership is not active" in response.content.decode()
    assert browser.post(f"/decks/{deck['id']}/cards", {"delete": card}).status_code == 403
    assert browser.post(f"/decks/{deck['id']}/delete").status_code == 403


@pytest.mark.parametrize(
    ("term", "definition"), [("Term", "A sentence. " * 12), ("'" * 197, '"' * 2000), ("🧬" * 197, "🧬" * 400)]
)
def test_the_page_of_a_full_deck_is_below_one_megabyte(
    browser: Client, owner: RestEntryPoint, term: str, definition: str
) -> None:
    cards = [{"term": f"{term}{number}", "definition": definition} for number in range(500)]
    deck = owner.made("create_vocab_deck", name="Full", cards=cards, include_cards=False)
    content = browser.get(f"/decks/{deck['id']}").content
    assert len(content) < 1_000_000
    assert content.count(b">Delete<") == 500
    if term == "Term":
        assert content.count(definition.strip().encode()) == 500, "short texts are shown in full"


@pytest.mark.database("both")
def test_statements_are_few_and_name_the_member(browser: Client, owner: RestEntryPoint, course: Any) -> None:
    for number in range(3):
        deck = made_deck(owner, *(f"Term {n}" for n in range(20)), name=f"Deck {number}", course_id=course["id"])
    card = deck["cards"][0]["id"]
    paths = ["/decks", "/decks/new"]
    paths += [
        f"/decks/{deck['id']}{rest}" for rest in ("", "?q=term", "/change", "/delete", "/export", f"/cards/{card}")
    ]
    counts = {}
    for path in paths:
        with named() as queries:
            browser.get(path)
        counts[path] = len(queries)
    assert {path: count for path, count in counts.items() if count > MOST_STATEMENTS} == {}

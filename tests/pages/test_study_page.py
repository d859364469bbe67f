"""The study page: one card at a time, in today's order, and each answer once."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import Member
from tests.support.entry_points import RestEntryPoint
from tests.support.forms import form_with
from tests.support.statements import named
from tests.support.vocabulary import deck_with_cards, made_deck, reviewed
from vocab.models import Card, Review

pytestmark = [pytest.mark.rest, pytest.mark.django_db]

MOST_STATEMENTS = 8


class Page:
    """An opened study page, and the forms of its buttons."""

    def __init__(self, browser: Client, path: str = "/study") -> None:
        self.browser, self.path = browser, path
        self.load(path)

    def load(self, path: str) -> None:
        response = self.browser.get(path)
        assert response.status_code == 200
        self.text = " ".join(response.content.decode().split())

    @property
    def term(self) -> str | None:
        found = re.search(r'<h1 class="term[^"]*">(.*?)</h1>', self.text)
        return found.group(1) if found else None

    @property
    def left(self) -> str:
        found = re.search(r"<p>(\d+) left</p>", self.text)
        assert found
        return found.group(1)

    @property
    def form(self) -> Any:
        return form_with("reps", self.text)

    def send(self, rating: str, form: Any = None) -> None:
        response = self.browser.post(self.path, (form or self.form) | {"rating": rating})
        assert response.status_code == 302
        self.load(response.headers["Location"])

    def undo(self, form: Any = None) -> None:
        response = self.browser.post(f"{self.path}/undo", form or form_with("answer", self.text))
        assert response.status_code == 302
        self.load(response.headers["Location"])


def due(owner: RestEntryPoint, card: Any, *ratings: str, hours: float) -> None:
    """Review the card and make it overdue by this much."""
    for rating in ratings:
        reviewed(owner, card, rating)
    Card.objects.filter(id=card["id"]).update(due_at=timezone.now() - timedelta(hours=hours))


def test_a_card_is_shown_with_its_next_dates_and_answered(
    browser: Client, owner: RestEntryPoint, time_machine: Any
) -> None:
    time_machine.move_to("2026-11-21T12:00:00Z", tick=False)
    deck = made_deck(owner, "Mitosis", "Osmosis")
    page = Page(browser)
    assert (page.term, page.left) == ("Mitosis", "2")
    assert "What Mitosis is." in page.text
    labels = re.findall(r"data-key=\"(\d)\"[^>]*>(\w+) <span>([^<]*)</span>", page.text)
    assert labels == [("1", "Again", "1 min"), ("2", "Hard", "6 min"), ("3", "Good", "10 min"), ("4", "Easy", "8 days")]
    assert "Undo last" not in page.text
    time_machine.shift(4.2)
    page.send("easy")
    assert (page.term, page.left) == ("Osmosis", "1")
    assert 'max="2" value="1"' in page.text
    [review] = Review.objects.all()
    assert (review.rating, review.by_kind, review.duration_ms) == ("easy", "page", 4200)
    assert deck_with_cards(owner, deck)["card_count"] == 2
    [change] = owner.made("list_changes", limit=1)["data"]
    assert (change["operation"], change["by"]["kind"], change["undoable"]) == ("review_vocab_card", "page", True)


def test_far_dates_are_days_or_a_date(browser: Client, owner: RestEntryPoint, time_machine: Any) -> None:
    time_machine.move_to("2026-11-21T12:00:00Z", tick=False)
    card = made_deck(owner, "Mitosis")["cards"][0]
    due(owner, card, "easy", hours=1)
    last = timezone.now() - timedelta(days=8)
    stored = Card.objects.filter(id=card["id"])
    stored.update(last_reviewed_at=last)
    dates = re.findall(r"<span>([^<]*)</span></button>", Page(browser).text)
    assert dates == ["10 min", "27 days", "30 Dec", "26 Jan"]
    stored.update(stability=0.1, difficulty=10, last_reviewed_at=timezone.now() - timedelta(days=1))
    assert re.findall(r"<span>([^<]*)</span></button>", Page(browser).text)[1] == "tomorrow"


@pytest.mark.database("both")
def test_learning_cards_precede_reviews_of_all_decks_and_then_new_cards(browser: Client, owner: RestEntryPoint) -> None:
    """Each sorted by due time, whatever its deck."""
    owner.made("update_me", new_cards_a_day=500)
    one = made_deck(owner, "review 2", "learning 2", "new 1", name="One")["cards"]
    two = made_deck(owner, "review 1", "learning 1", "review 3", "suspended", name="Two")["cards"]
    due(owner, one[0], "easy", hours=5)
    due(owner, two[0], "easy", hours=9)
    due(owner, two[2], "easy", hours=2)
    due(owner, one[1], "again", hours=1)
    due(owner, two[1], "easy", "again", hours=3)
    due(owner, two[3], "easy", hours=20)
    owner.made("update_vocab_card", card_id=two[3]["id"], suspended=True)
    page = Page(browser)
    assert page.left == "6"
    order = []
    while page.term:
        order.append(page.term)
        page.send("easy")
    assert order == ["learning 1", "learning 2", "review 1", "review 2", "review 3", "new 1"]


@pytest.mark.database("both")
def test_new_cards_come_first_from_the_next_exam_and_then_from_the_oldest_deck(
    browser: Client, owner: RestEntryPoint
) -> None:
    """As many as are still allowed today over all decks. Those begun in another deck count."""
    today = Member.objects.get(email="owner@example.org").today()
    soon, later, over = (owner.made("create_course", name=name) for name in ("Soon", "Later", "Over"))
    for course, days, kind in ((soon, 3, "exam"), (later, 9, "quiz"), (over, -1, "exam"), (later, 1, "lab")):
        day = str(today + timedelta(days=days))
        owner.made("create_item", course_id=course["id"], title="Midterm", kind=kind, due_on=day)
    done = owner.made("create_item", course_id=over["id"], title="Quiz", kind="quiz", due_on=str(today))
    owner.made("update_item", item_id=done["id"], done=True)
    begun = made_deck(owner, "begun", "plain", name="Without a course")
    made_deck(owner, "over", name="Over", course_id=over["id"])
    made_deck(owner, "later", name="Later", course_id=later["id"])
    made_deck(owner, "soon 1", "soon 2", name="Soon", course_id=soon["id"])
    owner.made("update_me", new_cards_a_day=5)
    reviewed(owner, begun["cards"][0], "easy")
    page = Page(browser)
    assert page.left == "4"
    order = []
    while page.term:
        order.append(page.term)
        page.send("easy")
    assert order == ["soon 1", "soon 2", "later", "plain"]
    assert "1 new card waits. Today's 5 new cards are used up" in page.text


@pytest.mark.database("sqlite", "pages call tested operations")
def test_a_single_deck_can_be_studied(browser: Client, owner: RestEntryPoint, stranger: RestEntryPoint) -> None:
    deck = made_deck(owner, "Mitosis", name="Cells")
    made_deck(owner, "Keramos", "Pithos", name="Clay")
    page = Page(browser, f"/decks/{deck['id']}/study")
    assert (page.term, page.left) == ("Mitosis", "1")
    page.send("easy")
    assert "Study all decks (2)" in page.text
    page.undo()
    assert page.term == "Mitosis"
    theirs = made_deck(stranger, "Moss")
    for path in (f"/decks/{theirs['id']}/study", "/decks/00000000-0000-4000-8000-000000000000/study"):
        assert browser.get(path).status_code == 404


@pytest.mark.database("sqlite", "pages call tested operations")
def test_a_form_sent_twice_or_too_late_records_nothing(browser: Client, owner: RestEntryPoint) -> None:
    """Nor does one whose card was answered elsewhere, deleted, or answered and undone. Each shows the next card."""
    deck = made_deck(owner, "Mitosis", "Osmosis", "Meiosis")
    page = Page(browser)
    first = page.form
    page.send("easy")
    page.send("again", first)
    assert (page.term, Review.objects.count()) == ("Osmosis", 1)
    second = page.form
    reviewed(owner, deck["cards"][1], "easy")
    page.send("again", second)
    assert (page.term, Review.objects.count()) == ("Meiosis", 2)
    assert "Undo last" in page.text, "the first answer still belongs to this page"
    page.undo()
    assert (page.term, Review.objects.count()) == ("Mitosis", 1)
    page.send("good", first)
    assert (page.term, Review.objects.count()) == ("Mitosis", 1)
    last = page.form
    owner.made("delete_vocab_card", card_id=deck["cards"][0]["id"])
    page.send("good", last)
    assert (page.term, Review.objects.count()) == ("Meiosis", 1)


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
def test_two_forms_at_once_record_one(
    owner_member: Member, owner: RestEntryPoint, in_threads: Callable[..., list[Any]]
) -> None:
    made_deck(owner, "Mitosis", "Osmosis")
    browsers = [Client(), Client()]
    for browser in browsers:
        browser.force_login(owner_member)
    form = Page(browsers[0]).form | {"rating": "good"}
    answers = in_threads(lambda browser: browser.post("/study", form).status_code, browsers)
    assert answers == [302, 302]
    assert Review.objects.count() == 1


@pytest.mark.database("sqlite", "pages call tested operations")
def test_only_answers_of_this_page_can_be_undone(browser: Client, owner: RestEntryPoint, owner_member: Member) -> None:
    deck = made_deck(owner, "Mitosis", "Osmosis", "Meiosis")
    reviewed(owner, deck["cards"][0], "easy")
    page = Page(browser)
    assert "Undo last" not in page.text
    page.send("good")
    other = Page(browser)
    assert "Undo last" not in other.text, "another tab is another sitting"
    before = form_with("answer", page.text)
    theirs = str(Review.objects.get(card_id=deck["cards"][0]["id"]).id)
    page.undo(before | {"answer": theirs})
    assert Review.objects.count() == 2
    page.undo(before | {"sitting": "x"})
    assert Review.objects.count() == 2
    page.load(f"/study?sitting={before['sitting'][0]}")
    page.undo()
    assert (page.term, Review.objects.count()) == ("Osmosis", 1)
    assert 'value="0"' in page.text
    assert Card.objects.get(id=deck["cards"][1]["id"]).state == "new"
    page.undo(before)
    assert Review.objects.count() == 1


@pytest.mark.database("sqlite", "pages call tested operations")
def test_an_answer_that_cannot_be_undone_shows_the_reason(browser: Client, owner: RestEntryPoint) -> None:
    """The answer before it can still be undone."""
    deck = made_deck(owner, "Mitosis", "Osmosis", "Meiosis", "Vacuole")
    page = Page(browser)
    for _ in range(2):
        page.send("easy")
    third = page.form
    page.send("easy")
    reviewed(owner, deck["cards"][2], "good")
    page.undo()
    assert "Nothing was undone. “Meiosis” was reviewed again since." in page.text
    [second] = Review.objects.filter(card__term="Osmosis").values_list("id", flat=True)
    owner.made("undo_change", change_id=str(second))
    page.undo()
    assert "Nothing was undone." in page.text
    page.undo()
    assert (page.term, Review.objects.count()) == ("Mitosis", 2)
    page.send("good", third)
    assert Review.objects.count() == 2


@pytest.mark.database("sqlite", "pages call tested operations")
def test_the_end_shows_what_was_done_and_what_is_next(
    browser: Client, owner: RestEntryPoint, time_machine: Any
) -> None:
    time_machine.move_to("2026-11-21T12:00:00Z")
    owner.made("update_me", new_cards_a_day=3)
    deck = made_deck(owner, "one", "two", "three", "four", "five", "six", "seven")
    page = Page(browser)
    for rating in ("easy", "again", "good"):
        page.send(rating)
    assert page.term is None
    assert "Done for now" in page.text
    assert "You answered 3 cards." in page.text
    counts = re.findall(r"<dt>(\w+)</dt><dd>(\d+)</dd>", page.text)
    assert counts == [("Again", "1"), ("Hard", "0"), ("Good", "1"), ("Easy", "1")]
    assert "Today: 2 more cards, the first at 13:01 (in 1 min). Come back then." in page.text
    assert "Check again" not in page.text
    assert "Tomorrow: 3 new cards." in page.text
    Card.objects.filter(id=deck["cards"][1]["id"]).update(due_at="2026-11-22T15:00:00Z")
    Card.objects.filter(id=deck["cards"][2]["id"]).update(due_at="2026-11-22T23:30:00Z")
    page.load("/study")
    assert "Nothing is due" in page.text
    assert "Tomorrow: 1 card to repeat and 3 new cards." in page.text, "a member's days end at the member's midnight"
    Card.objects.filter(id=deck["cards"][1]["id"]).update(due_at="2026-11-29T15:00:00Z")
    Card.objects.filter(id=deck["cards"][2]["id"]).update(suspended=True)
    owner.made("update_me", new_cards_a_day=0)
    page.load("/study")
    assert "Tomorrow: nothing." in page.text
    assert "The next card to repeat is due on Sun 29 Nov 2026." in page.text


@pytest.mark.database("sqlite", "pages call tested operations")
def test_a_card_can_be_changed_in_between(browser: Client, owner: RestEntryPoint) -> None:
    """Studying then continues with that card."""
    deck = made_deck(owner, "Mitosis", "Osmosis", "Meiosis")
    for path in ("/study", f"/decks/{deck['id']}/study"):
        page = Page(browser, path)
        page.send("easy")
        card_path = re.findall(r'<a href="([^"]*)">Change this card', page.text)[0].replace("&amp;", "&")
        form = form_with("term", browser.get(card_path).content.decode())
        assert browser.post(card_path, form | {"definition": ""}).status_code == 422
        response = browser.post(card_path, form | {"definition": "Water moves."})
        assert response.headers["Location"].startswith(f"{path}?sitting=")
        before = page.term
        page.load(response.headers["Location"])
        assert page.term == before
        assert "Water moves." in page.text
        assert "Undo last" in page.text
        assert browser.post(f"{card_path}&sitting=%2F%2Fevil.example", form).headers["Location"].startswith(f"{path}?")


@pytest.mark.database("sqlite", "pages call tested operations")
def test_without_decks_it_shows_how_to_add_cards(browser: Client) -> None:
    page = Page(browser)
    assert "No flashcards yet" in page.text
    assert 'href="/decks/import"' in page.text


@pytest.mark.database("sqlite", "pages call tested operations")
def test_the_duration_is_between_zero_and_an_hour(browser: Client, owner: RestEntryPoint, time_machine: Any) -> None:
    time_machine.move_to("2026-11-21T12:00:00Z", tick=False)
    made_deck(owner, "Mitosis", "Osmosis")
    page = Page(browser)
    time_machine.shift(7200)
    page.send("easy")
    time_machine.shift(-60)
    page.send("easy")
    assert [Review.objects.get(card__term=term).duration_ms for term in ("Mitosis", "Osmosis")] == [3_600_000, 0]


@pytest.mark.database("sqlite", "pages call tested operations")
@pytest.mark.parametrize(
    "wrong",
    [{"rating": "fine"}, {"rating": ""}, {"card": "x"}, {"reps": "-1"}, {"shown": ""}, {"shown": "9" * 40}],
    ids=str,
)
def test_an_invalid_form_records_nothing(browser: Client, owner: RestEntryPoint, wrong: Any) -> None:
    made_deck(owner, "Mitosis")
    assert browser.post("/study", Page(browser).form | {"rating": "good"} | wrong).status_code == 404
    assert not Review.objects.exists()


@pytest.mark.database("sqlite", "pages call tested operations")
def test_another_members_card_cannot_be_answered(
    browser: Client, owner: RestEntryPoint, stranger: RestEntryPoint
) -> None:
    made_deck(owner, "Mitosis")
    theirs = made_deck(stranger, "Moss")["cards"][0]["id"]
    page = Page(browser)
    page.send("good", page.form | {"card": theirs})
    assert not Review.objects.exists()


@pytest.mark.database("sqlite", "pages call tested operations")
def test_a_session_stores_a_few_sittings(browser: Client, owner: RestEntryPoint) -> None:
    made_deck(owner, *(f"Term {number}" for number in range(7)))
    for _ in range(6):
        Page(browser).send("easy")
    assert len(browser.session["sittings"]) == 5


@pytest.mark.database("both")
def test_its_statements_are_few_and_name_the_member(
    browser: Client, owner: RestEntryPoint, owner_member: Member
) -> None:
    """In every situation: a learning card, a review, a new card before an exam, nothing."""
    course = owner.made("create_course", name="Biology")
    day = str(owner_member.today() + timedelta(days=3))
    owner.made("create_item", course_id=course["id"], title="Midterm", kind="exam", due_on=day)
    made_deck(owner, "plain", name="Plain")
    cards = made_deck(owner, "new", "review", "learning", name="Cells", course_id=course["id"])["cards"]
    due(owner, cards[1], "easy", hours=1)
    due(owner, cards[2], "again", hours=1)
    page = Page(browser)
    order, counts = [], []
    while True:
        with named() as queries:
            page.load(f"/study?sitting={'x' * 10}&card={course['id']}")
        counts.append(len(queries))
        page.load("/study")
        if page.term is None:
            break
        order.append(page.term)
        page.send("easy")
    assert order == ["learning", "review", "new", "plain"]
    assert max(counts) <= MOST_STATEMENTS, counts


@pytest.mark.database("sqlite", "pages call tested operations")
def test_a_lapsed_member_sees_a_notice(browser: Client, owner: RestEntryPoint) -> None:
    deck = made_deck(owner, "Mitosis")
    form = Page(browser).form | {"rating": "good"}
    Member.objects.update(membership_active=False)
    for path in ("/study", f"/decks/{deck['id']}/study"):
        assert browser.get(path).status_code == 403
        response = browser.post(path, form)
        assert response.status_code == 403
        assert "Your membership is not active" in response.content.decode()
    assert not Review.objects.exists()

"""The conversations of docs/assistants.md with the demo's data: the stored results and texts of their calls."""

import json
import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import Any, NamedTuple

import pytest

from tests import ROOT
from tests.support.cases import each
from tests.support.entry_points import McpEntryPoint, RestEntryPoint

pytestmark = [pytest.mark.django_db, pytest.mark.rest]

PAGE = (ROOT / "docs" / "assistants.md").read_text()
SECTION = PAGE[PAGE.index("## Conversations\n") : PAGE.index("## Prompts\n")]
CONVERSATIONS = dict(re.findall(r"### (\"[^\n]+\")\n.*?```text\n(.*?)```", SECTION, re.DOTALL))

PLACEHOLDER = re.compile(r"<([^<>]+)>")
MOST_CALLS = 3
MORE_CALLS = {'"I got 87': 4, '"Quiz me on five': 7, '"17 of 20': 4}
"""Conversations with more calls than others: three calls after a search, and five answers of a quiz."""


class Call(NamedTuple):
    """A finished call: its tool, its answer, and the texts after it."""

    tool: str
    answer: Any
    notes: list[str]


class Talk:
    """The calls of one conversation. Ids come from earlier answers only."""

    def __init__(self, secret: str) -> None:
        self.tools = McpEntryPoint(secret)
        self.rest = RestEntryPoint(secret)
        self.today = date.fromisoformat(self.rest.made("get_me")["today"])
        self.calls: list[Call] = []
        self.characters = 0

    def say(self, line: str) -> None:
        tool, _, given = line.partition(" ")
        sent = PLACEHOLDER.sub(lambda found: self._value(found[1]), given)
        result = self.tools.rpc("tools/call", {"name": tool, "arguments": json.loads(sent)}).json()["result"]
        texts = [block["text"] for block in result["content"]]
        assert not result["isError"], texts
        self.characters += sum(map(len, texts))
        self.calls.append(Call(tool, result["structuredContent"], texts[1:]))

    def _value(self, name: str) -> str:
        if days := re.fullmatch(r"today \+ (\d+)", name):
            return str(self.today + timedelta(days=int(days[1])))
        if was := re.fullmatch(r"was (\w+)", name):
            [before] = [note for note in self.calls[-1].notes if note.startswith("was: ")]
            return str(json.loads(before.removeprefix("was: "))[was[1]])
        if card := re.fullmatch(r"card (\d)", name):
            cards = next(deck["cards"] for call in self.calls for deck in call.answer["data"] if "cards" in deck)
            return str(cards[int(card[1]) - 1]["id"])
        field, _, title = name.rpartition(" of ") if " of " in name else ("id", "", name)
        found = {one[field] for one in self.records() if title in {one.get("title"), one.get("name")}}
        assert len(found) == 1, f"{name}: {found}"
        return str(found.pop())

    def records(self) -> Iterator[dict[str, Any]]:
        for call in self.calls:
            yield from call.answer.get("data", [])

    def item(self, title: str) -> Any:
        """The stored item."""
        found = self.rest.made("list_items", q=title)["data"]
        [item] = [one for one in found if one["title"] == title]
        return item


@pytest.fixture
def demo_key(db: None) -> str:
    """A key of the demo member."""
    from studyservice.trial.demo import create_demo_member

    return create_demo_member()[1]


def behind(talk: Talk) -> None:
    [(_, agenda, _)] = talk.calls
    assert "Lab report 2: osmosis" in {item["title"] for item in agenda["items"]}
    assert [one["title"] for one in agenda["milestones"] if one["overdue"]] == ["Enter the measurements"]
    assert agenda["missed"] == []


def set_up(talk: Talk) -> None:
    [(_, course, notes)] = talk.calls
    stored = talk.rest.made("list_items", course_id=course["id"])["data"]
    assert [(item["title"], item["worth"]) for item in stored] == [("Quiz 1", 40), ("Field trip", None), ("Essay", 60)]
    assert [item["evidence"] for item in course["items"]] == ["confirmed", "confirmed", "inferred"]
    assert "Field trip" in notes[0]
    assert "2 of 3" in notes[0]


def graded(talk: Talk) -> None:
    for title, score in (("Lab report 2: osmosis", 87), ("Quiz 2: organelles", 91)):
        item = talk.item(title)
        assert item["status"] == "graded"
        categories = talk.rest.made("get_grades", course_id=item["course_id"])["categories"]
        [stored] = [one for category in categories for one in category["scores"] if one["item_id"] == item["id"]]
        assert stored["score"] == score
    exams = talk.rest.made("list_items", q="cell biology", kind="exam")["data"]
    assert [exam["due_on"] for exam in exams][:1] == [str(talk.today + timedelta(days=13))]
    assert talk.calls[-1].notes == [f'was: {{"due_on": "{talk.today + timedelta(days=12)}"}}']


def needed(talk: Talk) -> None:
    outlook = talk.calls[-1].answer["outlook"]
    [wanted] = [one for one in outlook["needed"] if one["letter"] == "A-"]
    assert wanted["at_least"] == 90
    assert 90 < wanted["score"] < 100
    by_hand = (30 * (91 + 70 + 70) / 3 + 20 * (84.5 + 70) / 2 + (20 + 30) * 70) / 100
    assert outlook["assumed"] == {"score": 70, "grade": by_hand, "letter": "C"}


def handed_in(talk: Talk) -> None:
    paper = talk.item("Research paper")
    assert (paper["done"], paper["status"]) == (True, "done")
    assert talk.calls[-1].notes == ['was: {"done": false}']


def steps(talk: Talk) -> None:
    stored = talk.rest.made("list_milestones", item_id=talk.item("Problem set 5")["id"])["data"]
    titles = ["Read chapter 5", "Exercises 1 to 3", "Exercises 4 to 6", "Check the proofs", "Write it up"]
    assert [one["title"] for one in stored] == titles
    assert talk.calls[-1].answer["milestones"] == stored
    assert talk.calls[-1].notes == []


def quizzed(talk: Talk) -> None:
    stats = talk.rest.made("get_practice_stats", days=1)
    assert (stats["attempts"], stats["correct"]) == (5, 4)


def merged(talk: Talk) -> None:
    deck = talk.calls[-1].answer
    assert deck["merged"] == {"added": 2, "updated": 1, "unchanged": 0}
    assert [(one["term"], one["existing"]) for one in deck["similar"]] == [("lysosome", "Lysosome")]
    [stored] = talk.rest.made("list_vocab_decks", deck_id=deck["id"], include_cards=True)["data"]
    [card] = [one for one in stored["cards"] if one["term"] == "Nucleolus"]
    assert card["definition"] == "Assembles ribosomes."
    assert card["reps"] > 0


def next_minutes(talk: Talk) -> None:
    steps = talk.calls[0].answer["now"]["steps"]
    assert 0 < sum(step["minutes"] for step in steps) <= 30
    assert all(step["because"] for step in steps)


def ready(talk: Talk) -> None:
    exam = talk.calls[-1].answer
    assert exam["readiness"]["cards"] == 16
    assert exam["readiness"]["seen_recall"] > 50
    assert exam["study_plan"]["predicted"] >= exam["readiness"]["expected_recall"]


def put_back(talk: Talk) -> None:
    assert talk.calls[1].answer["due_on"] == str(talk.today + timedelta(days=30))
    assert talk.item("Research paper")["due_on"] == str(talk.today + timedelta(days=21))


def deleted(talk: Talk) -> None:
    assert len(talk.rest.made("list_courses")["data"]) == 3
    [note] = talk.calls[-1].notes
    assert "Introduction to Programming" in note
    assert "/activity" in note


def moved_labs(talk: Talk) -> None:
    osmosis, enzymes = talk.item("Lab report 2: osmosis"), talk.item("Lab report 3: enzymes")
    found, changed = (call.answer for call in talk.calls)
    assert {item["id"] for item in found["data"]} == {osmosis["id"], enzymes["id"]}
    days = [str(talk.today + timedelta(days=days)) for days in (10, 15)]
    assert [item["due_on"] for item in changed["items"]] == [osmosis["due_on"], enzymes["due_on"]] == days
    [note] = talk.calls[-1].notes
    before = json.loads(note.removeprefix("was: "))
    assert before == [
        {"item_id": osmosis["id"], "due_on": str(talk.today + timedelta(days=3))},
        {"item_id": enzymes["id"], "due_on": str(talk.today + timedelta(days=8))},
    ]


def moved_day(talk: Talk) -> None:
    friday, saturday = (str(talk.today + timedelta(days=days)) for days in (8, 9))
    assert talk.rest.made("list_items", **{"from": friday, "to": friday})["data"] == []
    moved = talk.rest.made("list_items", **{"from": saturday, "to": saturday})["data"]
    assert {item["id"] for item in moved} == {item["id"] for item in talk.calls[0].answer["data"]}


def quizzed_on_the_weakest(talk: Talk) -> None:
    [deck] = talk.calls[1].answer["data"]
    assert (len(deck["cards"]), deck["more_cards"]) == (5, True)
    [whole] = talk.rest.made("list_vocab_decks", deck_id=deck["id"], include_cards=True, order="weakest")["data"]
    assert [card["id"] for card in whole["cards"]][:4] == [card["id"] for card in deck["cards"][1:]]
    assert talk.calls[2].answer["id"] == deck["cards"][0]["id"]


def dropped(talk: Talk) -> None:
    course = talk.calls[-1].answer
    assert (course["archived"], talk.calls[-1].notes) == (True, ['was: {"archived": false}'])
    assert talk.rest.made("get_grades", course_id=course["id"])["current_grade"] is not None
    due = talk.rest.made("get_agenda", days=120)["items"]
    assert course["name"] not in {item["course_name"] for item in due}


def scored_by_points(talk: Talk) -> None:
    scores = {one["label"]: one for category in talk.calls[-1].answer["categories"] for one in category["scores"]}
    told = {label: (scores[label]["points"], scores[label]["out_of"], scores[label]["score"]) for label in scores}
    assert (told["Quiz 3"], told["Osmosis"]) == ((17, 20, 85), (43, 50, 86))
    assert talk.item("Lab report 2: osmosis")["status"] == "graded"
    [wanted] = [one for one in talk.calls[-1].answer["outlook"]["needed"] if one["letter"] == "B+"]
    assert (wanted["at_least"], wanted["status"]) == (87, "possible")
    assert (
        talk.rest.made("get_grades", course_id=talk.calls[-1].answer["course_id"], assume=wanted["score"])["outlook"][
            "assumed"
        ]["letter"]
        == "B+"
    )


def weighed_by_points(talk: Talk) -> None:
    [(_, course, notes)] = talk.calls
    stored = talk.rest.made("get_grades", course_id=course["id"])["categories"]
    assert [one["weight"] for one in stored] == [250 / 10, 300 / 10, 450 / 10]
    assert [item["worth"] for item in course["items"]] == [30, 45]
    assert (course["warnings"], notes) == ([], ["2 of 2 quotes are confirmed."])


def worth(talk: Talk) -> None:
    found = {item["title"]: item["worth"] for item in talk.calls[0].answer["data"]}
    assert found == {"Response paper: the silver trade": 30, "Research paper": 30}


CHECKS: dict[str, Callable[[Talk], None]] = {
    '"What is due': behind,
    '"Set up': set_up,
    '"I got 87': graded,
    '"What do I need': needed,
    '"I handed in': handed_in,
    '"Break': steps,
    '"Quiz me on five': quizzed,
    '"Add': merged,
    '"What should I do': next_minutes,
    '"Am I ready': ready,
    '"The history paper': put_back,
    '"Delete': deleted,
    '"My professor': moved_labs,
    '"Move everything': moved_day,
    '"Quiz me on what': quizzed_on_the_weakest,
    '"I dropped': dropped,
    '"17 of 20': scored_by_points,
    '"Put in': weighed_by_points,
    '"Find everything': worth,
}
"""The expected writes and answers of each conversation, by the beginning of its request."""


def test_each_conversation_has_a_check() -> None:
    assert len(CONVERSATIONS) == len(CHECKS) == SECTION.count("### ")
    assert all(request.startswith(begins) for request, begins in zip(CONVERSATIONS, CHECKS, strict=True))


@each(("request_", "begins"), list(zip(CONVERSATIONS, CHECKS, strict=False)))
def test_a_conversation_has_the_documented_results(demo_key: str, request_: str, begins: str) -> None:
    talk = Talk(demo_key)
    lines = CONVERSATIONS[request_].splitlines()
    assert len(lines) <= MORE_CALLS.get(begins, MOST_CALLS)
    for line in lines:
        talk.say(line)
    print(f"{request_}: {len(talk.calls)} calls, {talk.characters} characters")  # noqa: T201  # with pytest -rP
    CHECKS[begins](talk)

"""Random writes to an account, by two apps and on pages."""

from dataclasses import dataclass
from typing import Any

from django.test import Client

from accounts.models import Member
from studyservice.rates import limiter as rates
from tests.support.calendar_files import CANVAS, calendar, deadline
from tests.support.entry_points import McpEntryPoint, RestEntryPoint
from tests.support.forms import form_with


def replace_categories(entry_point: RestEntryPoint, ids: dict[str, str], other: int) -> None:
    kept = entry_point.made("get_grades", course_id=ids["course"])["categories"]
    listed = [{"id": c["id"], "name": f"{c['name']}x"[:60], "weight": 12.3456} for c in kept[other % 2 : 8]]
    categories = [*listed, {"name": "New", "weight": other}]
    entry_point.made("set_grade_categories", course_id=ids["course"], categories=categories)


def add_score(entry_point: RestEntryPoint, ids: dict[str, str], other: int) -> None:
    for category in entry_point.made("get_grades", course_id=ids["course"])["categories"][:1]:
        score = {"category_id": category["id"], "label": "x"}
        score |= {"score": other / 3} if other % 2 else {"points": other / 3, "out_of": 100}
        entry_point.made("add_grade_score", course_id=ids["course"], **score)


def make_deck(entry_point: RestEntryPoint, ids: dict[str, str], other: int) -> None:
    cards = [{"term": f"{n}", "definition": "Meaning"} for n in range(1 + other % 3)]
    entry_point.made("create_vocab_deck", name=f"Deck {other}", course_id=ids.get("course"), cards=cards)


def review(entry_point: RestEntryPoint, ids: dict[str, str], other: int) -> None:
    [deck] = entry_point.made("list_vocab_decks", deck_id=ids["deck"], include_cards=True)["data"]
    card = deck["cards"][other % len(deck["cards"])]["id"]
    entry_point.made("review_vocab_card", card_id=card, rating=["again", "good", "easy"][other % 3])


def called(operation_id: str, *names: str, **fields: Any) -> Any:
    """A call with these ids and fields, in which `{}` is replaced by a number."""

    def do(entry_point: RestEntryPoint, ids: dict[str, str], other: int) -> None:
        given = {name: value.format(other) if isinstance(value, str) else value for name, value in fields.items()}
        entry_point.made(operation_id, **{f"{name}_id": ids[name] for name in names}, **given)

    return do


def end_or_reopen(entry_point: RestEntryPoint, ids: dict[str, str], other: int) -> None:
    entry_point.made("update_course", course_id=ids["course"], archived=other % 3 > 0)


def change_milestone(entry_point: RestEntryPoint, ids: dict[str, str], other: int) -> None:
    for milestone in entry_point.made("list_milestones", item_id=ids["item"])["data"][:1]:
        if other % 3:
            done, id_ = not milestone["done"], milestone["id"]
            entry_point.made("update_milestone", milestone_id=id_, done=done, title=f"Step {other}")
        else:
            entry_point.made("delete_milestone", milestone_id=milestone["id"])


def plan_steps(entry_point: RestEntryPoint, ids: dict[str, str], other: int) -> None:
    there = len(entry_point.made("list_milestones", item_id=ids["item"])["data"])
    more = [{"title": f"Step {other}.{number}"} for number in range(other % 3)]
    place = other % (there + 1) + 1
    entry_point.made("create_milestone", item_id=ids["item"], title=f"Step {other}", place=place, more=more)


def move_step(entry_point: RestEntryPoint, ids: dict[str, str], other: int) -> None:
    there = entry_point.made("list_milestones", item_id=ids["item"])["data"]
    for milestone in there[other % 2 :][:1]:
        place = other % len(there) + 1
        entry_point.made("update_milestone", milestone_id=milestone["id"], place=place, due_on=f"2026-12-{place:02}")


def delete_score(entry_point: RestEntryPoint, ids: dict[str, str], other: int) -> None:
    for category in entry_point.made("get_grades", course_id=ids["course"])["categories"]:
        for score in category["scores"][:1]:
            entry_point.made("delete_grade_score", score_id=score["id"])


def move_score(entry_point: RestEntryPoint, ids: dict[str, str], other: int) -> None:
    categories = entry_point.made("get_grades", course_id=ids["course"])["categories"]
    for score in [score for category in categories for score in category["scores"]][:1]:
        to = categories[other % len(categories)]["id"]
        by_rest(entry_point).made("update_grade_score", score_id=score["id"], category_id=to, score=other)


def tick_item(entry_point: RestEntryPoint, ids: dict[str, str], other: int) -> None:
    entry_point.made("update_item", item_id=ids["item"], done=other % 3 > 0, note=[None, f"Note {other}"][other % 2])


def time_item(entry_point: RestEntryPoint, ids: dict[str, str], other: int) -> None:
    """Set or clear the item's time, or its date with it."""
    fields: dict[str, str | None] = {"due_time": [None, "09:00", "17:00"][other // 3 % 3]}
    if other % 3 == 0:
        fields["due_on"] = "2026-12-03"
    elif other % 3 == 1:
        fields = {"due_on": None}
    entry_point.call("update_item", item_id=ids["item"], **fields)


def file_item(entry_point: RestEntryPoint, ids: dict[str, str], other: int) -> None:
    item = entry_point.made("get_item", item_id=ids["item"])
    categories = entry_point.made("get_grades", course_id=item["course_id"])["categories"]
    if item["status"] != "graded":
        choices = [None, *(one["id"] for one in categories)]
        entry_point.made("update_item", item_id=ids["item"], category_id=choices[other % len(choices)])


def link_score(entry_point: RestEntryPoint, ids: dict[str, str], other: int) -> None:
    """Add, move or remove a score of the item. A rejected call changes nothing."""
    item = entry_point.made("get_item", item_id=ids["item"])
    categories = entry_point.made("get_grades", course_id=item["course_id"])["categories"]
    scores = [score["id"] for category in categories for score in category["scores"]]
    to = [item["id"], None][other % 5 == 0]
    if other % 2 and scores:
        changed = [{"item_id": to}, {"score": 50}, {"points": 17, "out_of": 20}][other % 3]
        by_rest(entry_point).call("update_grade_score", score_id=scores[other % len(scores)], **changed)
    elif categories:
        score = {"category_id": categories[other % len(categories)]["id"], "label": "y", "score": 70, "item_id": to}
        entry_point.call("add_grade_score", course_id=item["course_id"], **score)


def change_card(entry_point: RestEntryPoint, ids: dict[str, str], other: int) -> None:
    [deck] = entry_point.made("list_vocab_decks", deck_id=ids["deck"], include_cards=True)["data"]
    for card in deck["cards"][other % 2 :][:1]:
        if other % 3:
            by_rest(entry_point).made("update_vocab_card", card_id=card["id"], definition=f"Meaning {other}")
        else:
            by_rest(entry_point).made("delete_vocab_card", card_id=card["id"])


def some_cards(other: int) -> list[dict[str, str]]:
    """A card that most decks have, and one that few have."""
    return [{"term": "0", "definition": f"Meaning {other}"}, {"term": f"{other}", "definition": "Meaning"}]


def merge(entry_point: RestEntryPoint, ids: dict[str, str], other: int) -> None:
    [deck] = entry_point.made("list_vocab_decks", deck_id=ids["deck"])["data"]
    entry_point.made("create_vocab_deck", name=deck["name"], cards=some_cards(other), if_exists="merge")


def merge_named(entry_point: RestEntryPoint, ids: dict[str, str], other: int) -> None:
    """Rename a card of the oldest deck with that name, change the next one, and add a third."""
    listed = entry_point.made("list_vocab_decks")["data"]
    name = next(deck["name"] for deck in listed if deck["id"] == ids["deck"])
    oldest = next(deck["id"] for deck in listed if deck["name"].casefold() == name.casefold())
    [deck] = entry_point.made("list_vocab_decks", deck_id=oldest, include_cards=True)["data"]
    first, *rest = [card["id"] for card in deck["cards"]] or [None]
    named = [{"card_id": first, "term": f"Renamed {other} {first}"}] if first else []
    named += [{"card_id": one, "definition": f"Meaning {other}"} for one in rest[:1]]
    cards = [*named, {"term": f"{other}", "definition": "Meaning"}]
    entry_point.made("create_vocab_deck", name=name, cards=cards, if_exists="merge")


def add_cards(entry_point: RestEntryPoint, ids: dict[str, str], other: int) -> None:
    by_rest(entry_point).made("add_vocab_cards", deck_id=ids["deck"], cards=some_cards(other))


def file_deck(entry_point: RestEntryPoint, ids: dict[str, str], other: int) -> None:
    course = [None, ids.get("course")][other % 2]
    by_rest(entry_point).made("update_vocab_deck", deck_id=ids["deck"], name=f"Deck {other}", course_id=course)


def import_decks(entry_point: RestEntryPoint, ids: dict[str, str], other: int) -> None:
    names = [deck["name"] for deck in entry_point.made("list_vocab_decks")["data"]]
    table = "\n".join(f"{card['term']},{card['definition']}" for card in some_cards(other)).encode()
    if_exists = ["create", "merge"][other % 2]
    by_rest(entry_point).made("import_vocab_decks", file=table, name=[*names, "New"][0], if_exists=if_exists)


def course_of_a_syllabus(entry_point: RestEntryPoint, ids: dict[str, str], other: int) -> None:
    items = [{"title": f"Item {number}", "due_on": "2026-12-04", "quote": "Week"} for number in range(other % 4)]
    weights = [{"name": "Exam", "weight": other}]
    text = {"syllabus_text": f"Week {other}."}
    entry_point.made("create_course", name=f"Course {other}", items=items, grade_categories=weights, **text)


def more_items(entry_point: RestEntryPoint, ids: dict[str, str], other: int) -> None:
    more = [{"title": f"Item {other % 5 + number}", "due_on": "2026-12-04"} for number in range(3)]
    entry_point.made("create_item", course_id=ids["course"], if_exists="skip", more=more[1:], **more[0])


def import_dates(entry_point: RestEntryPoint, ids: dict[str, str], other: int) -> None:
    days = [f"203010{10 + (other * number + number) % 15}" for number in range(1 + other % 3)]
    events = [deadline(f"event-{number}", day, f"Lab {other % 4}") for number, day in enumerate(days)]
    by_rest(entry_point).made("import_calendar", course_id=ids["course"], file=calendar(CANVAS, *events))


def by_rest(entry_point: RestEntryPoint) -> RestEntryPoint:
    """For operations without a tool."""
    return RestEntryPoint(entry_point.secret)


def add_item_on_page(page: Client, ids: dict[str, str], other: int) -> None:
    path = f"/courses/{ids['course']}"
    form = form_with("form_key", page.get(path).content.decode().partition('id="add-item"')[2].partition("</form>")[0])
    posted(page, f"{path}/items", form | {"title": [f"Page {other}"], "due_on": ["2026-12-08"]})


def change_item_on_page(page: Client, ids: dict[str, str], other: int) -> None:
    path = f"/items/{ids['item']}"
    form = form_with("note", page.get(path).content.decode())
    posted(page, path, form | {"title": [f"Page {other}"], "note": [f"Line {other}\r\nnext"][: other % 2 + 1]})


def tick_item_on_page(page: Client, ids: dict[str, str], other: int) -> None:
    posted(page, f"/items/{ids['item']}/done", {"done": [["false", "true"][other % 2]]})


def posted(page: Client, path: str, form: dict[str, list[str]]) -> None:
    assert page.post(path, form).status_code == 302, path


WRITES: list[tuple[str, Any]] = [
    ("", called("create_course", name="Course {}")),
    ("course", called("create_item", "course", title="Item {}", due_on="2026-12-03")),
    ("item", called("update_item", "item", title="Item {}", due_on=None)),
    ("item", time_item),
    ("item", called("create_milestone", "item", title="Step {}")),
    ("course", replace_categories),
    ("course", add_score),
    ("", make_deck),
    ("deck", review),
    ("deck", review),
    ("item", called("delete_item", "item")),
    ("deck", called("delete_vocab_deck", "deck")),
    ("course", called("delete_course", "course")),
    ("course", called("update_course", "course", name="Course {}", syllabus_text="Weeks of {0}. " * 50)),
    ("course", end_or_reopen),
    ("item", change_milestone),
    ("item", tick_item),
    ("item", file_item),
    ("item", link_score),
    ("item", plan_steps),
    ("item", move_step),
    ("course", delete_score),
    ("course", move_score),
    ("deck", change_card),
    ("deck", merge),
    ("deck", merge_named),
    ("deck", add_cards),
    ("deck", file_deck),
    ("", import_decks),
    ("", course_of_a_syllabus),
    ("course", more_items),
    ("course", import_dates),
]
"""Each write's precondition and call."""

PAGE_WRITES: list[tuple[str, Any]] = [
    ("course", add_item_on_page),
    ("item", change_item_on_page),
    ("item", tick_item_on_page),
]

FIRST = [("rest", which, 0, number) for which, number in ((0, 0), (1, 0), (3, 0), (4, 0), (5, 0), (6, 2), (7, 0))]
"""One object of each kind, so that there is something to change."""

ACTORS = ("rest", "mcp", "page")


@dataclass(frozen=True)
class Writers:
    """Two apps of a member and the member on pages. `rest` also reads."""

    rest: RestEntryPoint
    mcp: McpEntryPoint
    page: Client

    @classmethod
    def of(cls, member: Member, make_key: Any) -> "Writers":
        page = Client()
        page.force_login(member)
        return cls(RestEntryPoint(make_key(member)[0]), McpEntryPoint(make_key(member)[0]), page)

    def write(self, by: str, which: int, one: int, other: int) -> None:
        """Change any existing object.

        Args:
            by: one of ACTORS.
            which: any number, for one of the writes.
            one: any number, for the object.
            other: any number, for the values.
        """
        rates.clear()
        chosen = {
            "course": self.rest.made("list_courses")["data"],
            "item": self.rest.made("list_items", limit=100)["data"],
            "deck": self.rest.made("list_vocab_decks")["data"],
        }
        ids = {name: found[one % len(found)]["id"] for name, found in chosen.items() if found}
        writes = PAGE_WRITES if by == "page" else WRITES
        needs, act = writes[which % len(writes)]
        if needs in ids or not needs:
            act(getattr(self, by), ids, other)

"""An account that a credential can see only in part: every hidden text contains one rare word."""

import json
import re
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

from django.test.client import MULTIPART_CONTENT

from tests.support.calendar_files import one_deadline
from tests.support.entry_points import RestEntryPoint, routes
from tests.support.uploads import multipart
from tests.support.vocabulary import reviewed
from tests.support.world import OPERATIONS, WITH_BODY, WITH_UPLOAD, World, body_schema, declared, resolved

MARK = "Xylorimba"
"""A word that occurs in no visible text and in no program."""

WHOLE_ACCOUNT = {"export_data", "import_data", "update_me"} | {name for name in OPERATIONS if "school_calendar" in name}
"""Operations on the whole account, which are rejected for a limited credential."""

_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_REQUEST = re.compile(r"req_[A-Za-z0-9_-]+")


class Patient(RestEntryPoint):
    """Waits a minute before it exceeds the rate limit."""

    clock: Any = None
    sent = 0

    def request(self, *args: Any, **kwargs: Any) -> Any:
        type(self).sent += 1
        if type(self).sent % 100 == 0:
            self.clock.shift(61)
        return super().request(*args, **kwargs)


class HalfSeen:
    """A visible course, and hidden objects around it.

    Attributes:
        seen: ids of visible objects, by their names in paths and bodies.
        hidden: ids of hidden objects.
    """

    def __init__(self, owner: RestEntryPoint, *, word: str = MARK, alone: bool = False, moved: bool = True) -> None:
        """Create the account.

        Args:
            word: the rare word in hidden texts.
            alone: create no hidden objects.
            moved: a deck was in the hidden course before.
        """
        self.owner = owner
        self.seen = self._subject(owner, "Plain", "2026-12-03")
        self.extra: list[str] = []
        self.hidden: dict[str, str] = {}
        if alone:
            return
        self.hidden = self._subject(owner, word, "2026-12-04")
        self._further(word)
        if moved:
            self._move()

    def _subject(self, owner: RestEntryPoint, word: str, due_on: str) -> dict[str, str]:
        """A course with one of everything, all named with the word."""
        made = owner.made
        text = f"{word} course\n\nFall 2026\n\nThu, Dec 3: midterm {word}\n"
        course = made("create_course", name=f"{word} course", term=f"Fall 2026 {word}", syllabus_text=text)
        ids = {"course_id": course["id"]}
        category = {"name": f"{word} exams", "weight": 60}
        graded = made("set_grade_categories", course_id=course["id"], categories=[category])
        ids["category_id"] = graded["categories"][0]["id"]
        exam = made(
            "create_item",
            course_id=course["id"],
            title=f"{word} exam",
            kind="exam",
            due_on=due_on,
            note=f"Bring {word}",
            category_id=ids["category_id"],
        )
        ids["item_id"] = exam["id"]
        paper = made("create_item", course_id=course["id"], title=f"{word} paper", kind="paper", due_on="2026-11-20")
        made("update_item", item_id=paper["id"], title=f"{word} essay")
        for title in ("outline", "draft"):
            step = made("create_milestone", item_id=exam["id"], title=f"{word} {title}", due_on="2026-11-30")
        ids["milestone_id"] = step["id"]
        score = {"category_id": ids["category_id"], "label": f"{word} quiz", "score": 70, "item_id": paper["id"]}
        ids["score_id"] = made("add_grade_score", course_id=course["id"], **score)["id"]
        cards = [{"term": f"{word} term {n}", "definition": f"{word} meaning {n}"} for n in range(6)]
        deck = made("create_vocab_deck", name=f"{word} deck", course_id=course["id"], cards=cards)
        ids |= {"deck_id": deck["id"], "card_id": deck["cards"][0]["id"]}
        for card in deck["cards"]:
            reviewed(owner, card, "again")
        calendar = one_deadline().replace(b"SUMMARY:", b"SUMMARY:" + word.encode())
        made("import_calendar", course_id=course["id"], file=calendar)
        school = f"https://canvas.school.example/{len(self.owner.made('list_school_calendars')['data'])}.ics"
        followed = made("add_school_calendar", url=school, name=f"{word} school", course_id=course["id"])
        ids["calendar_id"] = followed["id"]
        upload = made("create_syllabus", text=f"{text}\nattached {uuid4()}")
        ids["syllabus_id"] = upload["id"]
        made("update_course", course_id=course["id"], syllabus_id=upload["id"], meets=f"Room {word}")
        item = made("create_item", course_id=course["id"], title=f"{word} gone", due_on=due_on)
        made("delete_item", item_id=item["id"])
        made("create_milestone", item_id=exam["id"], title=f"{word} last")
        ids["change_id"] = made("list_changes", object_id=course["id"])["data"][0]["id"]
        missing = {name for route in routes().values() for name in route.path_ids} - ids.keys()
        assert not missing, f"Create an object in HalfSeen._subject (tests/support/half_seen.py) for {missing}."
        return ids

    def _further(self, word: str) -> None:
        """Objects without a course, and deleted ones."""
        made = self.owner.made
        loose = made("create_vocab_deck", name=f"{word} loose", cards=[{"term": f"{word} a", "definition": word}])
        reviewed(self.owner, loose["cards"][0], "good")
        unattached = made("create_syllabus", text=f"{word}\n\nDec 5, 2026: {word} quiz")
        dropped = made("create_course", name=f"{word} dropped")
        cards = [{"term": word, "definition": word}]
        gone = made("create_vocab_deck", name=f"{word} gone", course_id=dropped["id"], cards=cards)
        reviewed(self.owner, gone["cards"][0], "again")
        made("delete_vocab_deck", deck_id=gone["id"])
        made("delete_course", course_id=dropped["id"])
        self.extra = [loose["id"], loose["cards"][0]["id"], unattached["id"], dropped["id"], gone["id"]]

    def _move(self) -> None:
        cards = [{"term": "x", "definition": "y"}]
        deck = self.owner.made("create_vocab_deck", name="Moved", course_id=self.hidden["course_id"], cards=cards)
        self.owner.made("update_vocab_deck", deck_id=deck["id"], course_id=self.seen["course_id"])

    def hidden_ids(self) -> list[str]:
        """Every hidden id, including changes and reviews."""
        changes, cursor = set(), None
        while True:
            page = self.owner.made("list_changes", limit=100, **({"cursor": cursor} if cursor else {}))
            for change in page["data"]:
                told = json.dumps(change)
                if MARK in told and not any(id_ in told for id_ in self.seen.values()):
                    changes.add(change["id"])
            cursor = page["next_cursor"]
            if cursor is None:
                return [*self.hidden.values(), *self.extra, *sorted(changes)]


def places(operation_id: str) -> Iterator[tuple[str, str]]:
    """Every position where an operation accepts an id: its path, query, body, or an entry of a list in the body."""
    route = routes()[operation_id]
    yield from (("path", name) for name in sorted(route.path_ids))
    parameters = [resolved(one) for one in declared(operation_id).get("parameters", ())]
    for one in parameters:
        if one["in"] == "query" and _takes_id(one["schema"]):
            yield "query", one["name"]
    if operation_id in WITH_BODY:
        for name, schema in body_schema(operation_id)["properties"].items():
            if _takes_id(schema):
                yield "body", name
            for entry in (schema, *schema.get("anyOf", ())):
                if "items" in entry:
                    inner = resolved(entry["items"]).get("properties", {})
                    yield from (("body", f"{name}.{one}") for one, of in inner.items() if _takes_id(of))


def _takes_id(schema: Any) -> bool:
    schema = resolved(schema)
    return schema.get("format") == "uuid" or any(_takes_id(one) for one in schema.get("anyOf", schema.get("oneOf", ())))


def sent(
    entry_point: RestEntryPoint, half: HalfSeen, operation_id: str, place: tuple[str, str], id_: str, **extra: Any
) -> Any:
    """The response to a call about visible objects with this id at one position."""
    route, (where, name) = routes()[operation_id], place
    ids = {one: half.seen.get(one, str(uuid4())) for one in route.path_ids}
    query: dict[str, str] = {}
    body = World(entry_point).body_with(operation_id, half.seen)
    if where == "path":
        ids[name] = id_
    elif where == "query":
        query[name] = id_
        query |= {"include_cards": "true"} if name == "deck_id" else {}
        query |= {"minutes_a_day": "20"} if name == "for_item" else {}
    else:
        outer, _, inner = name.partition(".")
        example = (body.get(outer) or [{}])[0] if inner else None
        body[outer] = [{**example, inner: id_}] if example is not None else id_
        if operation_id == "create_vocab_deck" and inner:
            body |= {"if_exists": "merge", "name": "Plain deck"}
    path = route.path.format(**ids)
    if operation_id in WITH_UPLOAD:
        files = {"import_calendar": one_deadline(), "import_vocab_decks": b"term,definition\r\na,b\r\n"}
        extra |= {"data": multipart(files.get(operation_id, b"x"), filename="cards.csv")}
        return entry_point.request(route.method, path, query=query, content_type=MULTIPART_CONTENT, **extra)
    return entry_point.request(route.method, path, query=query, json=body, **extra)


def without_ids(response: Any) -> tuple[int, str]:
    """The status and text of an answer, without the parts that differ in every answer."""
    text = text_of(response)
    return response.status_code, _ID.sub("ID", _REQUEST.sub("REQ", text))


def text_of(response: Any) -> str:
    """The text of an answer, including its headers."""
    body = response.getvalue() if response.streaming else response.content
    headers = [f"{name}: {value}" for name, value in response.headers.items() if name.lower() not in _OWN]
    return "\n".join((body.decode("utf-8", "replace"), *headers))


_OWN = {"x-request-id", "ratelimit-remaining", "ratelimit-reset", "date", "content-length", "etag", "retry-after"}

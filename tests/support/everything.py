"""A member with one of everything, and the answers of every read operation."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

from accounts.models import Member
from studyservice.archive.tables import archive_tables
from tests.support.archives import lines_of, parts_of
from tests.support.calendar_files import one_deadline
from tests.support.entry_points import RestEntryPoint
from tests.support.vocabulary import made_deck, reviewed
from vocab.models import Card

NOT_COMPARED = {
    "get_me": {"id", "email", "created_at", "membership", "scopes"},
    "item": {"created_at", "updated_at"},
}
"""Fields that belong to the account, and timestamps that differ in another one (docs/archive.md)."""

READS = {
    "get_me",
    "get_agenda",
    "list_courses",
    "get_course",
    "list_items",
    "get_item",
    "list_milestones",
    "get_grades",
    "get_practice_stats",
    "list_vocab_decks",
    "export_vocab_deck",
    "list_syllabi",
    "get_syllabus",
    "get_syllabus_file",
    "list_changes",
    "export_data",
}
"""The read operations that `answers` calls."""

SYLLABUS = "BIO 210 Cell Biology\n\nDec 3, 2026: midterm exam 🧬"
"""The text of the only file in the archive."""

_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def noon_zone() -> str:
    """A time zone where it is about noon, so that no day ends during a comparison."""
    ahead = 12 - datetime.now(UTC).hour
    return f"Etc/GMT{-ahead:+d}" if ahead else "Etc/GMT"


def have_everything(entry_point: RestEntryPoint) -> None:
    """Create rows for everything that an archive contains."""
    entry_point.made("update_me", name="Ada Park", time_zone=noon_zone(), desired_retention=0.8512, new_cards_a_day=15)
    today = datetime.now(UTC).date()
    biology = entry_point.made(
        "create_course", name="Cell Biology", code="BIO 210", syllabus_text="Week 1: 細胞 🧬\n\tx"
    )
    history = entry_point.made("create_course", name="History", term="Spring 2027")
    gone = entry_point.made("create_course", name="Dropped")
    for number in range(3):  # identical except for their age
        entry_point.made("create_item", course_id=biology["id"], title=f"Lab {number}", kind="lab", due_on=f"{today}")
    midterm = entry_point.made(
        "create_item", course_id=biology["id"], title="Midterm", kind="exam", due_on="2030-01-31"
    )
    entry_point.made("update_item", item_id=midterm["id"], title="Midterm exam")
    entry_point.made("create_item", course_id=history["id"], title='"Essay" =1+1')
    for title in ("Outline", "Draft", "Read"):
        step = entry_point.made("create_milestone", item_id=midterm["id"], title=title, due_on="2030-01-20")
    entry_point.made("update_milestone", milestone_id=step["id"], done=True)
    imported = entry_point.made("import_calendar", course_id=history["id"], file=one_deadline())
    entry_point.made("delete_item", item_id=imported["new"][0]["item_id"])  # not restored by an import
    _grade(entry_point, biology["id"])
    _study(entry_point, biology["id"], gone["id"])
    entry_point.made("delete_course", course_id=gone["id"])
    for text, course in ((SYLLABUS, biology), ("Not attached", None)):
        upload = entry_point.made("create_syllabus", text=text)
        if course is not None:
            entry_point.made(
                "update_course", course_id=course["id"], syllabus_id=upload["id"], syllabus_text="Kept 細胞 🧬"
            )
    member = Member.objects.get(id=entry_point.made("get_me")["id"])
    empty = [table.name for table in archive_tables() if not table.rows(member).exists()]
    assert not empty, f"Create rows of these archived models in have_everything (tests/support/everything.py): {empty}"


def _grade(entry_point: RestEntryPoint, course_id: str) -> None:
    entries = [{"name": "Exams", "weight": 66.6667}, {"name": "=Quizzes", "weight": 33.3333, "drop_lowest": 1}]
    graded = entry_point.made("set_grade_categories", course_id=course_id, categories=entries)
    for category, score in ((0, 91.25), (1, 150), (1, 0.3333)):
        chosen = graded["categories"][category]["id"]
        entry_point.made(
            "add_grade_score", course_id=course_id, category_id=chosen, label=f"Score {score}", score=score
        )
    entry_point.made("add_grade_score", course_id=course_id, category_id=chosen, label="=Points", points=2, out_of=3)


def _study(entry_point: RestEntryPoint, course_id: str, gone_course_id: str) -> None:
    """Create decks of several kinds with reviews. One deck and the course of another are deleted."""
    deck = made_deck(entry_point, "Nucleus", "Ribosome", "Vacuole", course_id=course_id)
    table = "".join(f"Term {n},x\n" for n in range(501)).encode()
    entry_point.made("import_vocab_decks", file=table, name="Words")  # two with the same creation time
    for card, ratings in zip(deck["cards"], (("easy", "again"), ("good", "good"), ("hard",)), strict=True):
        for rating in ratings:
            reviewed(entry_point, card, rating, duration_ms=4200)
    reviewed(entry_point, made_deck(entry_point, "Alga", name="Plants", course_id=gone_course_id)["cards"][0], "good")
    lost = made_deck(entry_point, "Moss", name="Lost")
    reviewed(entry_point, lost["cards"][0], "again")
    entry_point.made("delete_vocab_deck", deck_id=lost["id"])
    # No card becomes due during a comparison.
    for card in Card.objects.filter(reps__gt=0, due_at__isnull=False):
        Card.objects.filter(id=card.id).update(due_at=card.due_at + timedelta(days=1))


def answers(entry_point: RestEntryPoint) -> dict[str, Any]:
    """Return the answer of each read operation, with ids numbered by first use and volatile fields removed."""
    me = entry_point.made("get_me")
    courses = entry_point.made("list_courses")["data"]
    items = _all_items(entry_point)
    decks = entry_point.made("list_vocab_decks")["data"]
    files = [one for course in courses for one in entry_point.made("list_syllabi", course_id=course["id"])["data"]]
    archive = entry_point.made("export_data")
    changes = [change for change in _all_changes(entry_point) if change["object"]["type"] == "card" and change["after"]]
    found = {
        "get_me": {name: value for name, value in me.items() if name not in NOT_COMPARED["get_me"]},
        "list_courses": courses,
        "get_course": [entry_point.made("get_course", course_id=one["id"], include_syllabus=True) for one in courses],
        "list_items": items,
        "get_item": [entry_point.made("get_item", item_id=one["id"]) for one in items],
        "get_agenda": entry_point.made("get_agenda", days=120),
        "list_milestones": [entry_point.made("list_milestones", item_id=one["id"]) for one in items],
        "get_grades": [entry_point.made("get_grades", course_id=one["id"], target=88) for one in courses],
        "get_practice_stats": entry_point.made("get_practice_stats", days=365),
        "list_vocab_decks": [
            entry_point.made("list_vocab_decks", deck_id=one["id"], include_cards=True)["data"] for one in decks
        ],
        "export_vocab_deck": [entry_point.made("export_vocab_deck", deck_id=one["id"]).decode() for one in decks],
        "list_syllabi": files,
        "get_syllabus": [entry_point.made("get_syllabus", syllabus_id=one["id"], include_text=True) for one in files],
        "get_syllabus_file": [entry_point.made("get_syllabus_file", syllabus_id=one["id"]).decode() for one in files],
        # Its other rows describe events of one account.
        "list_changes": [
            change for change in changes if change["operation"] == "review_vocab_card" and change["undoable"]
        ],  # those of existing cards
        "export_data": _comparable(archive),
    }
    assert found.keys() == READS, f"`answers` must call each of READS: {found.keys() ^ READS}"
    plain: dict[str, Any] = _numbered(_without_stamps(found), {})
    return plain


def _all_items(entry_point: RestEntryPoint) -> list[Any]:
    page = entry_point.made("list_items", limit=100)
    assert not page["has_more"]
    return list(page["data"])


def _all_changes(entry_point: RestEntryPoint) -> list[Any]:
    found: list[Any] = []
    cursor: dict[str, str] = {}
    while True:
        page = entry_point.made("list_changes", limit=100, **cursor)
        found += page["data"]
        if not page["has_more"]:
            return found
        cursor = {"cursor": page["next_cursor"]}


def _comparable(archive: bytes) -> dict[str, Any]:
    """Return the lines of an archive, without file names, which contain ids, and tables for other programs."""
    parts = parts_of(archive)
    tables = sorted(name[5:-6] for name in parts if name.startswith("data/"))
    read = {name: lines_of(archive, name) for name in tables if name not in {"profile", "changes", "account_events"}}
    for line in read["items"]:
        line["days_until"] = None  # so that it counts as an item
    for line in read["syllabus_files"]:
        line["file"] = parts[line["file"]].decode()
    for line in read["imported_events"]:
        line["item_id"] = None  # that of a deleted item
    for lines in read.values():  # keep rows of one parent together, with parents sorted by id
        lines.sort(key=lambda line: sorted((key, str(value)) for key, value in line.items() if not key.endswith("id")))
    calendar = [line for line in parts["calendar.ics"].decode().splitlines() if line.startswith("SUMMARY")]
    return read | {"csv": [parts[name].decode() for name in ("grades.csv", "cards.csv")], "calendar": calendar}


def _without_stamps(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_stamps(one) for one in value]
    if not isinstance(value, dict):
        return value
    hidden = NOT_COMPARED["item"] if "days_until" in value else set()
    return {name: _without_stamps(one) for name, one in value.items() if name not in hidden}


def _numbered(value: Any, known: dict[str, str]) -> Any:
    """`value` with a number in place of each id. Equal ids get equal numbers."""
    if isinstance(value, list):
        return [_numbered(one, known) for one in value]
    if isinstance(value, dict):
        return {name: _numbered(one, known) for name, one in value.items()}
    if isinstance(value, str) and _ID.fullmatch(value):
        return known.setdefault(value, f"id {len(known)}")
    return value

"""import_data: an invalid archive is 400, and a line that breaks a rule is 422. Nothing changes."""

import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from accounts.models import Member
from planning.milestones import MILESTONES_OF_ITEM
from studyservice.archive import unpacking
from tests.support.archive_lines import (
    LEARNING,
    REVIEWED,
    WHOLE,
    a_card,
    a_category,
    a_file,
    a_milestone,
    a_review,
    a_score,
    an_attempt,
    an_event,
    an_id,
    an_item,
)
from tests.support.archives import a_course, manifest, one_course, parts, zipped
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.hostile_archives import (
    a_bomb,
    a_link,
    encrypted,
    entry,
    many_entries,
    packed_with_bzip2,
    twice,
    with_broken_bytes,
    with_comments,
    with_parts,
    without,
)
from tests.support.world import rows

pytestmark = [pytest.mark.django_db, pytest.mark.rest, pytest.mark.same_statements, pytest.mark.usefixtures("files")]


COUNTS_ARE_NONE = b'{"format": "study-data-archive", "version": 1, "counts": 3}'

NO_ARCHIVES: dict[str, tuple[Callable[[], bytes], str]] = {
    "no zip": (lambda: b"no zip", "not a valid ZIP file"),
    "cut": (lambda: one_course()[:-100], "not a valid ZIP file"),
    "cut in the middle": (lambda: one_course()[:200], "not a valid ZIP file"),
    "broken inside": (with_broken_bytes, "it is damaged"),
    "empty": (lambda: zipped({}), "it has no manifest.json"),
    "no manifest": (lambda: without("manifest.json"), "it has no manifest.json"),
    "no table": (lambda: without("data/decks.jsonl"), "it has no data/decks.jsonl"),
    "no profile": (lambda: without("data/profile.jsonl"), "it has no data/profile.jsonl"),
    "foreign": (lambda: with_parts(**{"setup.exe": b"x"}), "does not belong"),
    "absolute": (lambda: with_parts(**{"/etc/passwd": b"x"}), "does not belong"),
    "upwards": (lambda: with_parts(**{"files/../../x": b"x"}), "does not belong"),
    "another table": (lambda: with_parts(**{"data/api_keys.jsonl": b"{}"}), "does not belong"),
    "a file of no line": (lambda: with_parts(**{"files/x.pdf": b"x"}), "no line names files/x.pdf"),
    "doubled": (twice, "it contains a name twice"),
    "a link": (lambda: entry(a_link), "not a plain file"),
    "a folder as a table": (lambda: entry(lambda _: None, "data/x/"), "does not belong"),
    "encrypted": (encrypted, "encrypted"),
    "packed unusually": (lambda: entry(packed_with_bzip2), "uses an unusual compression"),
    "a bomb": (a_bomb, "more than 500 MiB"),
    "many entries": (many_entries, "more than 2000 files"),
    "a long directory": (lambda: with_comments(20), "directory is longer than 1 MiB"),
    "a manifest that is none": (lambda: with_parts(**{"manifest.json": b"[]"}), "not identify an archive"),
    "a foreign manifest": (
        lambda: with_parts(**{"manifest.json": manifest({}, format="x")}),
        "not identify an archive",
    ),
    "a later version": (lambda: with_parts(**{"manifest.json": manifest({}, version=99)}), "version is 99"),
    "no version": (lambda: with_parts(**{"manifest.json": manifest({}, version=True)}), "no version"),
    "no counts": (
        lambda: with_parts(**{"manifest.json": COUNTS_ARE_NONE}),
        "no counts",
    ),
    "a long manifest": (lambda: with_parts(**{"manifest.json": b" " * 70_000}), "too long"),
    "other counts": (lambda: with_parts(**{"manifest.json": manifest({"courses": 2})}), "differs from the manifest"),
    "two profiles": (lambda: with_parts(**{"data/profile.jsonl": b"{}\n{}\n"}), "exactly one line"),
}


@pytest.mark.database("sqlite", "reads files")
@each("kind", NO_ARCHIVES)
def test_an_invalid_archive_is_rejected(owner: RestEntryPoint, kind: str) -> None:
    make, why = NO_ARCHIVES[kind]
    content, before = make(), rows()
    answer = owner.call("import_data", file=content)
    assert (answer.error, why in answer.body["message"]) == ("invalid_request", True), answer.body
    assert rows() == before


@pytest.mark.database("sqlite", "reads files")
def test_a_long_directory_uses_no_memory_of_the_server(owner_member: Member, tmp_path: Path) -> None:
    path = tmp_path / "archive.zip"
    path.write_bytes(with_comments(1000))
    assert path.stat().st_size > 60 * 1024 * 1024
    tracemalloc.start()
    try:
        with pytest.raises(CommandError) as refused:
            call_command("importmember", owner_member.email, str(path))
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 10 * 1024 * 1024
    assert "directory is longer than 1 MiB" in str(refused.value)


def test_reading_that_takes_too_long_is_aborted(owner: RestEntryPoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "READING_SECONDS", -1)
    answer = owner.call("import_data", file=one_course())
    assert (answer.error, "too long" in answer.body["message"]) == ("invalid_request", True)


def test_folder_entries_are_allowed(owner: RestEntryPoint) -> None:
    """An archive that was unpacked and repacked has them."""
    assert owner.call("import_data", file=with_parts(**{"data/": b"", "files/": b""})).error is None


LATE = "2199-12-31T23:59:59Z"

WRONG: dict[str, tuple[str, list[Any], str]] = {
    "no object": ("items", [[1]], "line 1: Must be a JSON object"),
    "nothing": ("items", [an_item(), None], "line 2: Must be a JSON object"),
    "too long": ("items", [an_item(title="x" * 70_000)], "line 1: Must be a JSON object, and not too long."),
    "no field": ("items", [{"id": an_id(1)}], "line 1: course_id: This field is required."),
    "a long title": ("items", [an_item(title="x" * 161)], "line 1: title: Must have at most 160 characters."),
    "a kind": ("items", [an_item(kind="party")], "line 1: kind: Must be one of"),
    "a date": ("items", [an_item(due_on="2026-02-30")], "line 1: due_on: Must be a calendar date"),
    "no course": ("items", [an_item(course_id=an_id(99))], "line 1: course_id: Is not the id of a line of courses."),
    "an id": ("items", [an_item(id="1")], "line 1: id: Must be a UUID."),
    "an id twice": ("items", [an_item(), an_item()], "line 2: id: Is also the id of another line."),
    "a NUL": ("courses", [a_course(name="a\0")], "line 1: name: Null characters are not allowed."),
    "a moment": ("courses", [a_course(created_at="2026-09-01")], "line 1: created_at: Must be a date-time"),
    "a moment in no zone": ("courses", [a_course(created_at="2026-09-01T08:30:00")], "created_at: Must be a date-time"),
    "a moment to come": ("courses", [a_course(created_at=LATE)], "line 1: created_at: Must not be in the future."),
    "a moment at the end": ("cards", [a_card(due_at="9999-12-31T23:59:59Z")], "line 1: due_at: Must be from 1970"),
    "too many milestones": (
        "milestones",
        [a_milestone(id=an_id(100 + number)) for number in range(MILESTONES_OF_ITEM.most + 1)],
        f"line 21: id: There would be more than {MILESTONES_OF_ITEM.most} milestones of an item.",
    ),
    "too many scores": (
        "grade_scores",
        [a_score(id=an_id(100 + number)) for number in range(501)],
        "line 501: id: There would be more than 500 scores of a course.",
    ),
    "a weight": ("grade_categories", [a_category(weight=100.1)], "line 1: weight: Must be at most 100."),
    "a score": ("grade_scores", [a_score(score="80")], "line 1: score: Must be a number."),
    "an event twice": ("imported_events", [an_event(), an_event(id=an_id(70))], "line 2: instance: Is also in another"),
    "a new card with stability": (
        "cards",
        [a_card(stability=3.0)],
        "stability: Must be null in the state new.",
    ),
    "a known card without": ("cards", [a_card(state="review")], "stability: Must not be null in the state review."),
    "a step in review": ("cards", [a_card(**REVIEWED | {"step": 0})], "line 1: step: Must be null in the state review"),
    "no step in learning": ("cards", [a_card(**REVIEWED | {"state": "learning"})], "line 1: step: Must be null in the"),
    "no stability at all": ("cards", [a_card(**REVIEWED | {"stability": 0})], "stability: Must be a number from 0.001"),
    "too much of it": ("cards", [a_card(**REVIEWED | {"stability": 1e300})], "stability: Must be a number from 0.001"),
    "a difficulty": ("cards", [a_card(**REVIEWED | {"difficulty": True})], "difficulty: Must be a number from 1 to 10"),
    "a review of no card": (
        "reviews",
        [a_review(card_id=an_id(99))],
        "card_id: Is not the id of a line of cards.",
    ),
    "a review twice": ("reviews", [a_review(), a_review()], "line 2: id: Is also the id of another line."),
    "a rating": ("reviews", [a_review(rating="fine")], "line 1: rating: Must be one of"),
    "a retention": ("reviews", [a_review(desired_retention=0.5)], "desired_retention: Must be a number from 0.7"),
    "another day": ("attempts", [an_attempt(day="2026-09-03")], "line 1: day: Is not the day of attempted_at"),
    "an attempt of no deck": ("attempts", [an_attempt(deck_id=an_id(99))], "deck_id: Is not the id of a line of decks"),
    "a file that is not there": (
        "syllabus_files",
        [a_file()],
        "line 1: file: Does not name a file below files/",
    ),
    "a text of a file that was not read": (
        "syllabus_files",
        [a_file(text="x", characters=1)],
        "line 1: text: Must be there if text_status is read, and else be null.",
    ),
    "another length": ("syllabus_files", [a_file(characters=1)], "line 1: characters: Is not the length of text."),
}


@pytest.mark.database("sqlite", "reads files")
@each("kind", WRONG)
def test_a_line_that_breaks_a_rule_is_named(owner: RestEntryPoint, kind: str) -> None:
    table, lines, message = WRONG[kind]
    content, before = zipped(parts(**WHOLE | {table: lines})), rows()
    answer = owner.call("import_data", file=content)
    assert (answer.error, set(answer.fields)) == ("validation_failed", {"file"}), answer.body
    told = [detail["message"] for detail in answer.body["details"]]
    assert any(one.startswith(f"data/{table}.jsonl, line ") and message in one for one in told), told
    assert rows() == before


def test_the_complete_archive_is_imported(owner: RestEntryPoint) -> None:
    """The unchanged archive is valid, so each rejection above is due to its change."""
    assert owner.made("import_data", file=zipped(parts(**WHOLE)))["counts"]["reviews"] == 1


@each(("wrong", "field"), [({"size": 3}, "size"), ({"sha256": "0" * 64}, "sha256"), ({}, None)])
def test_a_file_must_match_its_line(owner: RestEntryPoint, wrong: dict[str, Any], field: str | None) -> None:
    content = zipped(parts(**WHOLE | {"syllabus_files": [a_file(**wrong)]}) | {"files/x": b"%P"})
    answer = owner.call("import_data", file=content)
    if field is None:
        assert answer.error is None
    else:
        told = f"data/syllabus_files.jsonl, line 1: {field}: Does not match files/x."
        assert [detail["message"] for detail in answer.body["details"]] == [told]


def test_the_file_quota_applies(owner: RestEntryPoint, monkeypatch: pytest.MonkeyPatch) -> None:
    from courses.uploads import rows as uploads

    owner.made("create_syllabus", text="waits for a course")
    monkeypatch.setattr(uploads, "MAX_BYTES_OF_MEMBER", 19)
    content, before = zipped(parts(**WHOLE | {"syllabus_files": [a_file()]}) | {"files/x": b"%P"}), rows()
    assert owner.call("import_data", file=content).error == "conflict"
    assert rows() == before


def test_a_review_repeated_much_later_is_named(owner: RestEntryPoint) -> None:
    """Its ids are not kept in memory, so the database detects the repetition."""
    lines = [a_review(id=an_id(100 + number)) for number in range(1200)]
    lines[1100] = a_review(id=an_id(103))
    before = rows()
    tables = {"cards": [a_card(**LEARNING | {"reps": 1200})], "reviews": lines}
    answer = owner.call("import_data", file=zipped(parts(**WHOLE | tables)))
    [detail] = answer.body["details"]
    assert detail["message"] == "data/reviews.jsonl, line 1101: id: Is also the id of another line."
    assert rows() == before


def test_a_profile_that_breaks_a_rule_is_named(owner: RestEntryPoint) -> None:
    profile = {"name": "Ada", "time_zone": "Mars/Olympus", "desired_retention": 0.9}
    answer = owner.call("import_data", file=zipped(parts(profile=profile)))
    [detail] = answer.body["details"]
    assert detail["message"].startswith("data/profile.jsonl, line 1: time_zone: Must be an IANA time zone")


def test_at_most_a_hundred_errors_are_returned(owner: RestEntryPoint) -> None:
    wrong = [an_item(id=an_id(number), title="") for number in range(200)]
    answer = owner.call("import_data", file=zipped(parts(**WHOLE | {"items": wrong})))
    assert len(answer.body["details"]) == 100

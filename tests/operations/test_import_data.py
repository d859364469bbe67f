"""import_data: POST /v1/import."""

from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage

from accounts.models import Member
from courses.models import SyllabusFile
from studyservice.archive import importing
from studyservice.archive.tables import archive_version
from studyservice.registry.counts import recount
from tests import ROOT
from tests.conftest import MakeMember, OpenEntryPoint
from tests.support.archive_lines import an_attempt, an_id
from tests.support.archives import a_course, lines_of, one_course, parts, zipped
from tests.support.calendar_files import one_deadline
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.everything import SYLLABUS, answers, have_everything
from tests.support.world import rows
from vocab.models import Review

pytestmark = [pytest.mark.django_db, pytest.mark.rest, pytest.mark.same_statements, pytest.mark.usefixtures("files")]
about_files = pytest.mark.database(
    "sqlite", "files that are read; what is stored of them is looked at on both databases"
)

ARCHIVES = ROOT / "tests" / "archives"


@pytest.fixture
def archive() -> bytes:
    """The archive of a member who has one of everything, which test_archive_versions.py keeps."""
    return (ARCHIVES / f"version-{archive_version()}.zip").read_bytes()


@pytest.fixture
def exported(owner: RestEntryPoint) -> bytes:
    """The archive of the owner, who has one of everything."""
    have_everything(owner)
    content: bytes = owner.made("export_data")
    return content


@pytest.fixture
def newcomer(make_member: MakeMember, entry_point: OpenEntryPoint) -> RestEntryPoint:
    """A member whose account is empty."""
    return entry_point(make_member("new@example.org"))


@pytest.mark.usefixtures("started_readings")
def test_everything_is_restored(owner: RestEntryPoint, exported: bytes, newcomer: RestEntryPoint) -> None:
    taken = newcomer.call("import_data", file=exported)
    assert (taken.error, taken.status) == (None, 201)
    assert answers(newcomer) == answers(owner)


def test_counts_sums_and_clocks_are_correct(archive: bytes, newcomer: RestEntryPoint) -> None:
    newcomer.made("import_data", file=archive)
    member = Member.objects.get(email="new@example.org")
    assert recount(member.id) == 0
    newest = max(item["created_at"] for item in newcomer.made("list_items")["data"])
    later = newcomer.made("create_course", name="Later")
    assert later["created_at"] > newest


def test_its_texts_are_found(archive: bytes, newcomer: RestEntryPoint) -> None:
    newcomer.made("import_data", file=archive)
    items = newcomer.made("list_items")["data"]
    steps = [newcomer.made("list_milestones", item_id=item["id"])["data"] for item in items]
    for text in (items[0]["title"], items[0]["course_name"], next(filter(None, steps))[0]["title"]):
        assert newcomer.made("list_items", q=text.upper())["data"] != []


def test_pollers_see_its_items_in_order(owner: RestEntryPoint, exported: bytes, newcomer: RestEntryPoint) -> None:
    past = newcomer.made("create_course", name="Past")
    seen = newcomer.made("create_item", course_id=past["id"], title="Seen")["created_at"]
    newcomer.made("delete_course", course_id=past["id"])
    newcomer.made("import_data", file=exported)
    found = newcomer.made("list_items", created_after=seen)["data"]
    assert [item["title"] for item in found] == [item["title"] for item in owner.made("list_items")["data"]]
    assert min(item["created_at"] for item in found) > seen


@about_files
def test_deleted_objects_are_not_imported_again(archive: bytes, newcomer: RestEntryPoint) -> None:
    """A later import of the same calendar file recognizes its events."""
    newcomer.made("import_data", file=archive)
    [history] = [one for one in newcomer.made("list_courses")["data"] if one["name"] == "History"]
    told = newcomer.made("import_calendar", course_id=history["id"], file=one_deadline())
    assert (told["new"], told["kept"]) != ([one_deadline()], None)
    assert told["new"] == []


@pytest.mark.database("both")
def test_cards_continue_and_reviews_can_be_undone(archive: bytes, newcomer: RestEntryPoint) -> None:
    newcomer.made("import_data", file=archive)
    review = Review.objects.filter(member__email="new@example.org").latest("reviewed_at")
    newcomer.made("review_vocab_card", card_id=str(review.card_id), rating="again")
    for change in newcomer.made("list_changes", limit=2)["data"]:
        if change["operation"] == "review_vocab_card":
            assert newcomer.call("undo_change", change_id=change["id"]).error is None
    assert recount(review.member_id) == 0


def test_it_adds_one_change_that_cannot_be_undone(newcomer: RestEntryPoint) -> None:
    newcomer.made("import_data", file=one_course())
    [row] = newcomer.made("list_changes")["data"]
    assert (row["operation"], row["before"], row["undoable"]) == ("import_data", None, False)
    assert row["after"]["courses"] == 1
    refused = newcomer.call("undo_change", change_id=row["id"])
    assert refused.error == "conflict"
    assert "cannot be undone" in refused.body["message"]


def test_its_profile_is_imported_and_the_account_is_kept(newcomer: RestEntryPoint) -> None:
    before = newcomer.made("get_me")
    assert (before["name"], before["time_zone"]) == ("", "UTC")
    newcomer.made("import_data", file=one_course())
    after = newcomer.made("get_me")
    assert (after["name"], after["time_zone"], after["desired_retention"]) == ("Ada", "Asia/Tokyo", 0.85)
    assert (after["id"], after["email"], after["created_at"]) == (before["id"], before["email"], before["created_at"])


@each(
    ("there", "expected"),
    [
        ({"name": "Grace"}, ("Grace", "Asia/Tokyo", 0.85)),
        ({"time_zone": "Europe/Paris"}, ("Ada", "Europe/Paris", 0.85)),
        ({"name": "Grace", "time_zone": "Europe/Paris", "desired_retention": 0.95}, ("Grace", "Europe/Paris", 0.85)),
    ],
)
def test_a_chosen_name_and_time_zone_are_kept(newcomer: RestEntryPoint, there: Any, expected: Any) -> None:
    newcomer.made("update_me", **there)
    newcomer.made("import_data", file=one_course())
    after = newcomer.made("get_me")
    assert (after["name"], after["time_zone"], after["desired_retention"]) == expected


def emptied(entry_point: RestEntryPoint) -> bytes:
    """The archive of the member, whose courses and decks are then deleted."""
    content: bytes = entry_point.made("export_data")
    for deck in entry_point.made("list_vocab_decks")["data"]:
        entry_point.made("delete_vocab_deck", deck_id=deck["id"])
    for course in entry_point.made("list_courses")["data"]:
        entry_point.made("delete_course", course_id=course["id"])
    return content


def practice(entry_point: RestEntryPoint) -> Any:
    """The practice sums in total and per topic, without ids, which are new."""
    stats = entry_point.made("get_practice_stats", days=365)
    for topic in stats["weak_topics"]:
        topic["deck_id"] = topic["deck_id"] is not None
    return stats


@pytest.mark.database("both")
def test_practice_of_deleted_decks_is_not_doubled(owner: RestEntryPoint, exported: bytes) -> None:
    """Practice belongs to the decks again, and its reviews can be undone."""
    before = practice(owner)
    attempts = len(lines_of(exported, "attempts"))
    content = emptied(owner)
    made = owner.made("import_data", file=content)
    assert (made["counts"]["attempts"], made["counts"]["reviews"] > 0) == (0, True)
    assert practice(owner) == before
    assert len(lines_of(owner.made("export_data"), "attempts")) == attempts
    assert recount(Member.objects.get(email="owner@example.org").id) == 0
    _undo_newest_review(owner)
    assert len(lines_of(owner.made("export_data"), "attempts")) == attempts - 1


def _undo_newest_review(entry_point: RestEntryPoint) -> None:
    rows = entry_point.made("list_changes", limit=100)["data"]
    newest = next(row for row in rows if row["operation"] == "review_vocab_card" and row["undoable"])
    entry_point.made("undo_change", change_id=newest["id"])


@pytest.mark.database("both")
def test_only_missing_attempts_are_created(newcomer: RestEntryPoint) -> None:
    """Of three equal attempts, two of which exist, one is added. Attempts with another topic or result differ."""
    alike = [an_attempt(id=an_id(50 + number)) for number in range(3)]
    newcomer.made("import_data", file=zipped(parts(attempts=alike[:2])))
    others = [an_attempt(id=an_id(60), topic="Other"), an_attempt(id=an_id(61), correct=False)]
    made = newcomer.made("import_data", file=zipped(parts(attempts=alike + others)))
    assert made["counts"]["attempts"] == 3
    found = lines_of(newcomer.made("export_data"), "attempts")
    assert sorted((line["topic"], line["correct"]) for line in found) == [
        ("Other", True),
        ("Words", False),
        ("Words", True),
        ("Words", True),
        ("Words", True),
    ]
    [change, _] = newcomer.made("list_changes")["data"]
    assert change["after"]["attempts"] == 3


@about_files
def test_ids_are_new(archive: bytes, newcomer: RestEntryPoint) -> None:
    newcomer.made("import_data", file=archive)
    for table in ("courses", "items", "cards", "reviews", "attempts"):
        old = {line["id"] for line in lines_of(archive, table)}
        new = {line["id"] for line in lines_of(newcomer.made("export_data"), table)}
        assert len(old) == len(new)
        assert not old & new, table


@pytest.mark.database("both")
def test_its_files_are_stored(archive: bytes, newcomer: RestEntryPoint) -> None:
    newcomer.made("import_data", file=archive)
    file = SyllabusFile.objects.get(member__email="new@example.org")
    assert (file.filename, file.file.read().decode(), file.expires_at) == ("syllabus.txt", SYLLABUS, None)
    file.file.close()


@each("there", ["course", "deck"])
def test_an_account_with_content_rejects_an_archive(newcomer: RestEntryPoint, there: str) -> None:
    if there == "course":
        newcomer.made("create_course", name="Here")
    else:
        newcomer.made("create_vocab_deck", name="Here", cards=[{"term": "a", "definition": "b"}])
    before = rows()
    assert newcomer.call("import_data", file=one_course()).error == "conflict"
    assert rows() == before


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
def test_one_of_two_concurrent_imports_succeeds(newcomer: RestEntryPoint, in_threads: Any, monkeypatch: Any) -> None:
    """In different processes, each with its own queue. The second import gets a 409."""
    from contextlib import nullcontext
    from dataclasses import replace

    from accounts.api.views import ArchiveViewSet

    free = replace(importing.UPLOAD, turn=nullcontext)
    monkeypatch.setattr(ArchiveViewSet, "import_data", replace(ArchiveViewSet.import_data, upload=free))
    found = in_threads(lambda content: newcomer.call("import_data", file=content), [one_course()] * 2)
    assert sorted(answer.error or "taken" for answer in found) in (["conflict", "taken"], ["rate_limited", "taken"])
    assert len(newcomer.made("list_courses")["data"]) == 1


def test_one_archive_is_imported_at_a_time(newcomer: RestEntryPoint) -> None:
    with importing.import_turn():
        response = _send(newcomer, one_course())
    assert response.json()["error"]["type"] == "rate_limited"
    assert response.headers["Retry-After"] == "30"
    assert newcomer.call("import_data", file=one_course()).error is None


def test_the_queue_place_is_released(newcomer: RestEntryPoint) -> None:
    for _ in range(2):
        assert newcomer.call("import_data", file=b"no archive").error == "invalid_request"


@about_files
def test_ten_archives_an_hour_are_read(newcomer: RestEntryPoint) -> None:
    errors = [newcomer.call("import_data", file=b"no archive").error for _ in range(11)]
    assert errors == ["invalid_request"] * 10 + ["rate_limited"]


def test_a_retry_with_its_key_gets_the_same_answer(newcomer: RestEntryPoint) -> None:
    content = one_course()
    first, second = (_send(newcomer, content, headers={"Idempotency-Key": "1"}) for _ in range(2))
    assert (first.status_code, second.status_code, second.json()) == (201, 201, first.json())
    assert second.headers["Idempotency-Replayed"] == "true"


def test_a_failure_leaves_no_file(archive: bytes, newcomer: RestEntryPoint, monkeypatch: Any) -> None:
    kept = _stored(default_storage.path(""))

    def fail(member_id: Any) -> int:
        raise RuntimeError("the server was killed")

    monkeypatch.setattr(importing, "recount", fail)
    before = rows()
    assert newcomer.call("import_data", file=archive).error == "internal_error"
    assert rows() == before
    assert _stored(default_storage.path("")) == kept


@about_files
def test_a_stranger_sees_none_of_it(archive: bytes, newcomer: RestEntryPoint, stranger: RestEntryPoint) -> None:
    newcomer.made("import_data", file=archive)
    assert stranger.made("list_courses")["data"] == []


@about_files
def test_a_second_account_imports_the_same_archive(
    exported: bytes, newcomer: RestEntryPoint, stranger: RestEntryPoint
) -> None:
    """Its old ids are used here by the owner and the first account."""
    newcomer.made("import_data", file=exported)
    assert stranger.call("import_data", file=exported).error is None
    assert answers(stranger) == answers(newcomer)


@about_files
def test_an_archive_of_an_imported_account_can_be_imported(
    archive: bytes, newcomer: RestEntryPoint, stranger: RestEntryPoint
) -> None:
    newcomer.made("import_data", file=archive)
    stranger.made("import_data", file=newcomer.made("export_data"))
    assert answers(stranger) == answers(newcomer)


def test_unknown_fields_are_ignored(newcomer: RestEntryPoint) -> None:
    newcomer.made("import_data", file=zipped(parts(courses=[a_course(color="blue")])))
    assert newcomer.made("list_courses")["data"][0]["name"] == "Cell Biology"


def _send(entry_point: RestEntryPoint, content: bytes, **extra: Any) -> Any:
    from django.test.client import MULTIPART_CONTENT

    from tests.support.uploads import multipart

    return entry_point.request("POST", "/v1/import", data=multipart(content), content_type=MULTIPART_CONTENT, **extra)


def _stored(root: str) -> list[str]:
    return sorted(str(path) for path in Path(root).rglob("*") if path.is_file())

"""export_data: GET /v1/export."""

import csv
import io
import json
from datetime import UTC, datetime
from typing import Any

import icalendar
import pytest
from django.conf import settings
from django.db import connection

from accounts.credentials.keys import new_feed
from accounts.members.profile import LEFT_OUT, ProfileLine, profile_line
from accounts.models import ApiKey, Member
from studyservice.archive.tables import MEMBER_PROFILE, ArchiveTable, archive_tables, archive_version
from studyservice.database import snapshots
from studyservice.rates.limiter import Rate
from studyservice.registry.data import member_data
from tests import ROOT
from tests.support.archives import TABLES as NAMES
from tests.support.archives import lines_of, parts_of
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.everything import SYLLABUS, have_everything
from tests.support.factories import AccountEventFactory
from tests.support.oauth import App
from tests.support.vocabulary import made_deck, reviewed

pytestmark = [pytest.mark.django_db, pytest.mark.rest, pytest.mark.same_statements, pytest.mark.usefixtures("files")]


@pytest.fixture
def everything(owner: RestEntryPoint) -> RestEntryPoint:
    """The owner, who has one of everything."""
    have_everything(owner)
    return owner


_archives: list[bytes] = []


@pytest.fixture
def archive(request: pytest.FixtureRequest) -> bytes:
    """The archive of a member with one of everything, exported by the first test that reads it."""
    if not _archives:
        _archives.append(request.getfixturevalue("everything").made("export_data"))
    return _archives[0]


def test_the_readme_links_the_guide_on_this_server(owner: RestEntryPoint) -> None:
    readme = parts_of(owner.made("export_data"))["README.txt"].decode()
    address = f"{settings.BASE_URL}/docs/archive"
    assert f"The fields are explained at {address}\n" in readme
    assert ".md" not in readme
    assert owner.request("GET", address.removeprefix(settings.BASE_URL)).status_code == 200


def test_it_returns_a_zip_to_save(owner: RestEntryPoint) -> None:
    response = owner.request("GET", "/v1/export")
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "application/octet-stream"
    name = f"study-data-{datetime.now(UTC):%Y-%m-%d}.zip"
    assert response.headers["Content-Disposition"] == f'attachment; filename="{name}"'
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    content = response.getvalue()
    assert response.headers["Content-Length"] == str(len(content))
    extras = {"grades.csv", "cards.csv", "calendar.ics", "README.txt", "manifest.json"}
    data = {f"data/{name}.jsonl" for name in (*NAMES, "profile", "changes")}
    assert parts_of(content).keys() == extras | data


@pytest.mark.database("both")
def test_a_line_has_every_field_of_its_row(everything: RestEntryPoint, owner_member: Member) -> None:
    """A new column must be in the archive or excluded for a reason: see the member_data.py of its app."""
    archive = everything.made("export_data")
    for table in archive_tables():
        lines = lines_of(archive, table.name)
        rows = table.model._default_manager.filter(member_id=owner_member.id)
        columns = {field.attname for field in table.model._meta.concrete_fields} - {"member_id"}
        assert len(lines) == rows.filter(**table.how.only).count() > 0, table.name
        assert all(line.keys() == columns - table.how.left_out.keys() for line in lines), table.name
        assert table.how.left_out.keys() <= columns
        assert table.line.shared(partial=False).fields.keys() == columns - table.how.left_out.keys(), table.name
    [profile] = lines_of(archive, "profile")
    assert profile.keys() | LEFT_OUT.keys() == {field.attname for field in Member._meta.concrete_fields}
    not_taken_in = {"id", "email", "created_at", "membership_active", "membership_until"}
    assert profile.keys() == {*ProfileLine.shared(partial=False).fields, *not_taken_in}


def test_every_table_of_members_is_included_or_excluded_for_a_reason(owner: RestEntryPoint) -> None:
    files = parts_of(owner.made("export_data")).keys()
    for data in member_data():
        assert data.archived if data.archive is None else f"data/{data.archive.name}.jsonl" in files


@each("table", archive_tables())
def test_the_documentation_names_every_field(table: ArchiveTable) -> None:
    text = (ROOT / "docs" / "archive.md").read_text()
    section = text.partition(f"### `{table.path}`")[2].partition("###")[0]
    assert [name for name in table.columns if f"`{name}`" not in section] == []


def test_a_line_equals_the_api_record(owner: RestEntryPoint, course: Any, item: Any) -> None:
    deck = made_deck(owner, course_id=course["id"])
    card = reviewed(owner, deck["cards"][0], "good")
    archive = owner.made("export_data")
    [line] = lines_of(archive, "items")
    kept = {"sequence": 0, "missable_from": owner.made("get_me")["today"]}
    assert line == {name: item[name] for name in line.keys() & item.keys()} | kept
    [line] = lines_of(archive, "cards")
    assert line | card == line | {"position": 1, "step": 1}
    [attempt], [review] = lines_of(archive, "attempts"), lines_of(archive, "reviews")
    assert attempt["id"] == review["id"]
    assert (review["rating"], review["by_kind"], review["stability"]) == ("good", "key", None)


def test_the_manifest_counts_the_lines(archive: bytes) -> None:
    parts = parts_of(archive)
    told = json.loads(parts["manifest.json"])
    assert (told["format"], told["version"]) == ("study-data-archive", archive_version())
    assert datetime.fromisoformat(told["made_at"]).date() == datetime.now(UTC).date()
    files = sum(name.startswith("files/") for name in parts)
    lines = {name: len(lines_of(archive, name)) for name in (*NAMES, "profile", "changes")}
    assert told["counts"] == lines | {"files": files}


def test_it_contains_stored_files(archive: bytes) -> None:
    [line] = lines_of(archive, "syllabus_files")
    assert line["file"] == f"files/{line['id']}.txt"
    assert parts_of(archive)[line["file"]].decode() == line["text"] == SYLLABUS


@pytest.mark.database("both")
def test_it_contains_no_credential(everything: RestEntryPoint, owner_member: Member) -> None:
    app = App.registered()
    tokens = app.connect(owner_member)
    owner_member.set_password("correct horse battery")
    owner_member.save()
    secrets = [everything.secret, tokens["access_token"], tokens["refresh_token"], new_feed(owner_member)]
    content = b"".join(parts_of(everything.made("export_data")).values()).decode()
    for secret in secrets:
        assert secret not in content
        assert secret[-20:] not in content
    stored = [*ApiKey.objects.values_list("secret_hash", flat=True), Member.objects.get(id=owner_member.id).password]
    assert not any(one in content for one in stored)


@pytest.mark.database("both")
def test_apps_do_not_get_account_events(owner: RestEntryPoint, owner_member: Member) -> None:
    """Only the archives of `/account` and `exportmember` contain sign-ins, networks and keys."""
    AccountEventFactory.create(member=owner_member, network="203.0.113.0/24")
    for archive in (owner.made("export_data"), _exported_by_app(owner_member)):
        parts = parts_of(archive)
        assert "data/account_events.jsonl" not in parts
        assert "account_events" not in json.loads(parts["manifest.json"])["counts"]
        assert not [name for name, content in parts.items() if b"203.0.113.0" in content]


def _exported_by_app(member: Member) -> bytes:
    content: bytes = RestEntryPoint(App.registered().connect(member)["access_token"]).made("export_data")
    return content


def test_it_contains_nothing_of_a_stranger(everything: RestEntryPoint, stranger: RestEntryPoint) -> None:
    before = everything.made("export_data")
    stranger.made("create_course", name="Foreign")
    made_deck(stranger, "Foreign")
    content = b"".join(parts_of(everything.made("export_data")).values())
    assert b"Foreign" not in content
    assert sorted(parts_of(before)) == sorted(parts_of(everything.made("export_data")))


@pytest.mark.database("sqlite", "format of cells")
@each("name", ["grades.csv", "cards.csv"])
def test_no_cell_is_a_formula(archive: bytes, name: str) -> None:
    text = parts_of(archive)[name].decode("utf-8-sig")
    rows = list(csv.reader(io.StringIO(text, newline="")))
    assert len(rows) > 2
    assert [cell for row in rows for cell in row if cell[:1] in set("=+-@\uff1d\uff0b\uff0d\uff20")] == []
    if name == "grades.csv":
        assert rows[2][:5] == ["Cell Biology", "'=Quizzes", "33.3333", "Score 150", "150"]


def test_the_calendar_has_every_date(archive: bytes) -> None:
    calendar = icalendar.Calendar.from_ical(parts_of(archive)["calendar.ics"].decode())
    titles = [str(event["summary"]) for event in calendar.walk("VEVENT")]
    assert "Midterm exam (Cell Biology)" in titles  # some years ahead
    assert "Outline (Midterm exam)" in titles
    assert not any(title.startswith("Read") for title in titles)  # is done


def test_ten_archives_an_hour_are_allowed(owner: RestEntryPoint) -> None:
    for _ in range(Rate.ARCHIVES.item.amount):
        owner.made("export_data")
    response = owner.request("GET", "/v1/export")
    assert response.json()["error"]["type"] == "rate_limited"
    assert int(response.headers["Retry-After"]) > 60
    assert Rate.ARCHIVES.item.amount == 10


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
def test_it_is_a_snapshot_and_blocks_nobody(
    owner: RestEntryPoint, owner_member: Member, course: Any, monkeypatch: pytest.MonkeyPatch, in_threads: Any
) -> None:
    """A write during the export is in none of its files, and does not wait for the export."""

    def lines(member: Member) -> dict[str, Any]:
        """Return the first rows, then write on another connection."""
        line = profile_line(member)
        [answer] = in_threads(lambda name: owner.call("create_course", name=name), ["Late"])
        assert answer.error is None
        return line

    monkeypatch.setattr(MEMBER_PROFILE, "registered", [MEMBER_PROFILE.get()._replace(line=lines)])
    archive = owner.made("export_data")
    assert [line["name"] for line in lines_of(archive, "courses")] == ["Cell Biology"]
    assert b"Late" not in b"".join(parts_of(archive).values())
    assert len(owner.made("list_courses")["data"]) == 2


@pytest.mark.database("postgresql")
def test_few_rows_are_in_memory_behind_a_pooler(everything: RestEntryPoint, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server-side cursor stays on one connection inside its transaction. It reads more than one piece."""
    cursors: list[Any] = []
    chunked = connection.chunked_cursor

    def noted() -> Any:
        cursors.append(chunked())
        return cursors[-1]

    monkeypatch.setitem(connection.settings_dict, "DISABLE_SERVER_SIDE_CURSORS", True)
    monkeypatch.setattr(connection, "chunked_cursor", noted)
    monkeypatch.setattr(snapshots, "_CHUNK", 1)
    archive = everything.made("export_data")
    large = [table.name for table in archive_tables() if len(lines_of(archive, table.name)) > 1]
    assert large
    assert len(cursors) >= len(large)

"""exportmember, importmember, erasemember."""

import json
import stat
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from accounts.models import Member
from tests.conftest import MakeMember
from tests.support.archives import a_course, lines_of, one_course, parts, zipped
from tests.support.entry_points import RestEntryPoint

pytestmark = pytest.mark.django_db


def run(*arguments: str) -> Any:
    printed = StringIO()
    call_command(*arguments, "--json", stdout=printed)
    return json.loads(printed.getvalue())


@pytest.mark.rest
def test_an_export_creates_a_file_and_is_shown_to_the_member(
    owner: RestEntryPoint, course: Any, tmp_path: Path
) -> None:
    path = tmp_path / "owner.zip"
    told = run("exportmember", "owner@example.org", str(path))
    assert told == {"file": str(path), "bytes": path.stat().st_size}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [line["id"] for line in lines_of(path.read_bytes(), "courses")] == [course["id"]]
    assert lines_of(path.read_bytes(), "account_events") == []
    [row, _] = owner.made("list_changes")["data"]
    assert (row["operation"], row["by"]["name"], row["object"]["name"]) == (
        "operator_read",
        "exportmember",
        "all study data",
    )


def test_an_export_overwrites_nothing(owner_member: Member, tmp_path: Path) -> None:
    path = tmp_path / "there"
    path.write_text("precious")
    with pytest.raises(CommandError, match="File exists"):
        run("exportmember", owner_member.email, str(path))
    assert path.read_text() == "precious"


def test_a_failed_export_leaves_no_file(owner_member: Member, tmp_path: Path) -> None:
    Member.objects.filter(id=owner_member.id).update(is_active=False, erasure_began_at=owner_member.created_at)
    with pytest.raises(CommandError, match="is being deleted"):
        run("exportmember", owner_member.email, str(tmp_path / "new"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.rest
def test_an_archive_can_be_imported(owner: RestEntryPoint, tmp_path: Path) -> None:
    path = tmp_path / "archive.zip"
    path.write_bytes(one_course())
    assert run("importmember", "owner@example.org", str(path))["courses"] == 1
    assert [course["name"] for course in owner.made("list_courses")["data"]] == ["Cell Biology"]
    [row] = owner.made("list_changes")["data"]
    assert (row["operation"], row["by"]["name"]) == ("import_data", "importmember")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"x", "not a valid ZIP file"),
        (zipped(parts(courses=[a_course(name="")])), "data/courses.jsonl, line 1: name: Must not be empty."),
        (None, "No such file"),
    ],
    ids=["no zip", "wrong line", "no file"],
)
def test_errors_are_reported(owner_member: Member, tmp_path: Path, content: bytes | None, said: str) -> None:
    path = tmp_path / "archive.zip"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(CommandError, match=said):
        run("importmember", owner_member.email, str(path))


@pytest.mark.django_db(transaction=True)
def test_a_member_can_be_erased(owner_member: Member, make_member: MakeMember) -> None:
    other = make_member()
    assert run("erasemember", owner_member.email, "--yes") == {"id": str(owner_member.id)}
    assert list(Member.objects.all()) == [other]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("typed", "goes"), [("OWNER@example.org ", True), ("yes", False)])
def test_the_address_must_be_confirmed(owner_member: Member, monkeypatch: Any, typed: str, goes: bool) -> None:
    monkeypatch.setattr("builtins.input", lambda _: typed)
    if goes:
        run("erasemember", owner_member.email)
    else:
        with pytest.raises(CommandError, match="does not match"):
            run("erasemember", owner_member.email)
    assert Member.objects.exists() is not goes


def test_nothing_is_deleted_without_a_terminal(owner_member: Member, monkeypatch: Any) -> None:
    def no_terminal(_: str) -> str:
        raise EOFError

    monkeypatch.setattr("builtins.input", no_terminal)
    with pytest.raises(CommandError, match="--yes"):
        run("erasemember", owner_member.email)
    assert Member.objects.exists()

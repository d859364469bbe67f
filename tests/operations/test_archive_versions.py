"""Archives of every version can be imported, as docs/archive.md promises."""

import json
import re

import pytest

from studyservice.archive.tables import ADDED, WHOLE_FILE, archive_version
from tests import ROOT
from tests.conftest import MakeMember, OpenEntryPoint
from tests.support.archive_lines import WHOLE
from tests.support.archives import manifest, parts, parts_of, zipped
from tests.support.entry_points import RestEntryPoint
from tests.support.everything import have_everything

pytestmark = [pytest.mark.django_db, pytest.mark.rest, pytest.mark.same_statements, pytest.mark.usefixtures("files")]

ARCHIVES = ROOT / "tests" / "archives"
KEEP = "Run this file with --refresh-baselines to keep an archive of the new version."
NAME_IT = "A column or a table was added: name it in studyservice.archive.tables.ADDED, under version {}."
AGAIN = "Delete this archive, and run this file with --refresh-baselines: its version is not released yet."


def released_version() -> int:
    """The archive version of the last release, from the changelog."""
    parts = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split("\n## [")
    told = [part for part in parts if not part.startswith("Unreleased]")]
    return max(int(version) for part in told for version in re.findall(r"Archives\s+have\s+version\s+(\d+)", part))


def test_a_release_adds_one_version_and_the_docs_name_it() -> None:
    version, released = archive_version(), released_version()
    assert version <= released + 1, f"Version {released} is the last released one: declare {released + 1}."
    if version > released:
        unreleased = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").partition("\n## [Unreleased]")[2]
        told = f"Archives have version {version}."
        assert told in " ".join(unreleased.partition("\n## [")[0].split()), f"Add to CHANGELOG.md, Unreleased: {told}"
    page = (ROOT / "docs" / "archive.md").read_text(encoding="utf-8")
    assert re.findall(r"now (\d+); older ones", page) == [f"{version}"], "Correct the version in docs/archive.md."


def test_an_archive_of_the_newest_version_is_stored(owner: RestEntryPoint, pytestconfig: pytest.Config) -> None:
    kept = ARCHIVES / f"version-{archive_version()}.zip"
    if not kept.exists() and pytestconfig.getoption("--refresh-baselines"):
        have_everything(owner)
        kept.write_bytes(owner.made("export_data"))
    assert kept.exists(), KEEP


def test_archives_of_every_version_can_be_read(make_member: MakeMember, entry_point: OpenEntryPoint) -> None:
    versions = range(1, archive_version() + 1)
    assert {path.name for path in ARCHIVES.iterdir()} == {f"version-{version}.zip" for version in versions}, KEEP
    for version in versions:
        archive = (ARCHIVES / f"version-{version}.zip").read_bytes()
        told = json.loads(parts_of(archive)["manifest.json"])
        assert told["version"] == version
        taken = entry_point(make_member(f"version-{version}@example.org")).call("import_data", file=archive)
        advice = AGAIN if version > released_version() else NAME_IT.format(released_version() + 1)
        assert taken.error is None, f"version-{version}.zip: {advice} {taken.body}"
        assert taken.body["counts"] == {name: told["counts"].get(name, 0) for name in taken.body["counts"]}


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> int:
    """A later version that adds the terms of courses and milestones."""
    version = archive_version() + 1
    monkeypatch.setitem(ADDED, version, {"courses": ("term",), "milestones": (WHOLE_FILE,)})
    return version


def without(version: int, *, terms: bool, milestones: bool) -> bytes:
    """An archive of the current version without these columns."""
    lines = {name: WHOLE[name] for name in ("courses", "items", *(["milestones"] if milestones else []))}
    if not terms:
        lines["courses"] = [{name: value for name, value in lines["courses"][0].items() if name != "term"}]
    members = parts(**lines)
    if not milestones:
        del members["data/milestones.jsonl"]
    counts = json.loads(members["manifest.json"])["counts"]
    if not milestones:
        del counts["milestones"]
    return zipped(members | {"manifest.json": manifest(counts, version=version)})


def test_older_archives_use_defaults_for_new_columns(owner: RestEntryPoint, later: int) -> None:
    taken = owner.made("import_data", file=without(later - 1, terms=False, milestones=False))
    assert taken["counts"]["milestones"] == 0
    [course] = owner.made("list_courses")["data"]
    assert course["term"] == "Fall semester"


def test_archives_of_the_new_version_must_contain_its_columns(owner: RestEntryPoint, later: int) -> None:
    assert json.loads(parts_of(owner.made("export_data"))["manifest.json"])["version"] == later
    refused = owner.call("import_data", file=without(later, terms=False, milestones=True))
    assert [detail["message"] for detail in refused.body["details"]] == [
        "data/courses.jsonl, line 1: term: This field is required."
    ]
    refused = owner.call("import_data", file=without(later, terms=True, milestones=False))
    assert "it has no data/milestones.jsonl" in refused.body["message"]
    assert owner.call("import_data", file=without(later, terms=True, milestones=True)).error is None

"""Cached migrated databases: a damaged copy is rebuilt rather than used."""

from pathlib import Path

import pytest

from tests.support import databases, migrated

pytestmark = pytest.mark.database("sqlite")  # only such a run has a file to keep

KIND = "test"


@pytest.fixture(autouse=True)
def entries(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An empty directory for the entries."""
    monkeypatch.setattr(migrated, "ENTRIES", tmp_path / "entries")
    return tmp_path / "entries"


def test_a_kept_database_is_restored(tmp_path: Path) -> None:
    migrated.keep(KIND, databases.file())
    assert migrated.restore(KIND, tmp_path / "copy", databases.is_whole)
    assert (tmp_path / "copy").read_bytes() == databases.file().read_bytes()


def test_without_an_entry_nothing_is_restored(tmp_path: Path) -> None:
    assert not migrated.restore(KIND, tmp_path / "copy", databases.is_whole)
    assert not (tmp_path / "copy").exists()


@pytest.mark.parametrize("damage", ["empty", "half", "overwritten"])
def test_a_damaged_entry_is_not_restored_and_can_be_replaced(tmp_path: Path, entries: Path, damage: str) -> None:
    migrated.keep(KIND, databases.file())
    [entry] = entries.iterdir()
    whole = entry.read_bytes()
    half = len(whole) // 2
    entry.write_bytes({"empty": b"", "half": whole[:half], "overwritten": whole[:4096] + b"x" * half}[damage])
    assert not migrated.restore(KIND, tmp_path / "copy", databases.is_whole)
    assert not (tmp_path / "copy").exists()
    migrated.keep(KIND, databases.file())
    assert migrated.restore(KIND, tmp_path / "copy", databases.is_whole)

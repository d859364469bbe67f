"""A member with one of everything moves to the other kind of database."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.entry_points import RestEntryPoint, routes
from tests.support.everything import READS, answers, have_everything
from tests.support.other_database import OTHER, answers_there


@pytest.mark.database("sqlite", "both kinds of database at once")
@pytest.mark.django_db
@pytest.mark.rest
def test_the_other_database_returns_the_same_answers(
    owner: RestEntryPoint, settings: Any, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    """Except for ids and the timestamps named in docs/archive.md."""
    settings.MEDIA_ROOT = tmp_path / "files"
    have_everything(owner)
    here = json.loads(json.dumps(answers(owner)))
    (tmp_path / "archive.zip").write_bytes(owner.made("export_data"))
    there = answers_there(OTHER[pytestconfig.getoption("--database")], tmp_path / "archive.zip")
    assert there.keys() == here.keys()
    for operation, answer in here.items():
        assert there[operation] == answer, operation


NOT_ARCHIVED = {"list_school_calendars", "get_school_calendar"}
"""Operations that return secret addresses, which an archive does not contain."""


@pytest.mark.database("sqlite", "the description")
def test_every_read_operation_is_compared() -> None:
    reads = {name for name, route in routes().items() if route.method == "GET"} - NOT_ARCHIVED
    assert reads - READS == set(), "Add these to READS and to `answers` in tests/support/everything.py."
    assert READS - reads == set(), "Remove these from READS in tests/support/everything.py."

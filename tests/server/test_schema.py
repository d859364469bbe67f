"""The schema after all migrations equals the committed one, on each database."""

import json

import pytest
from django.db import connection

from tests import ROOT
from tests.support.schema import described

REFRESH = "Run `make schema` and look at the difference before you commit it."


@pytest.mark.django_db
def test_the_schema_equals_the_committed_one(pytestconfig: pytest.Config) -> None:
    committed = ROOT / "tests" / "schema" / f"{connection.vendor}.json"
    found = described()
    if pytestconfig.getoption("--refresh-baselines"):
        committed.parent.mkdir(exist_ok=True)
        committed.write_text(json.dumps(found, indent=1, ensure_ascii=False, sort_keys=True) + "\n")
    assert json.loads(committed.read_text()) == found, REFRESH

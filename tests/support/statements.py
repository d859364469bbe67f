"""Checks that each statement names the member for every table of members' rows that it uses."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from django.apps import apps
from django.db import connection
from django.db.models import Model
from django.test.utils import CaptureQueriesContext

from accounts.models import Member
from studyservice.citus.plan import ON_COORDINATOR


def _owner_of(model: type[Model]) -> str | None:
    """The member column."""
    if model is Member:
        return "id"
    if model._meta.label in ON_COORDINATOR:
        return None
    fields = model._meta.concrete_fields
    return next((field.column for field in fields if field.related_model is Member), None)


OWNERS = {model._meta.db_table: owner for model in apps.get_models() if (owner := _owner_of(model))}
"""Tables with members' rows, and their member column."""

TABLES = {table for table, owner in OWNERS.items() if owner == "member_id"}

_REFERENCE = re.compile(r'(FROM|JOIN|UPDATE|INTO)\s+("?)(\w+)"?(?: (?!SET|WHERE|INNER|LEFT|ON|GROUP|AS)"?(\w+)"?)?')


def unnamed(sql: str) -> Iterator[str]:
    """The tables of members' rows that `sql` reads or writes without naming the member."""
    for match in _REFERENCE.finditer(sql):
        verb, quoted, table, alias = match.groups()
        owner = OWNERS.get(table)
        if owner is None:
            continue
        if verb == "INTO":
            named = owner in sql[match.end() :].partition(" VALUES ")[0].partition(" SELECT ")[0]
        else:
            # Selected and sorted columns do not restrict the member. Raw SQL names columns without their table.
            column = rf'(?<!\w)"?{alias or table}"?\."{owner}"' if quoted else rf"(?<!\w){owner}"
            named = re.search(f"{column} (?:=|IN)|= {column}", sql[match.start() :]) is not None
        if not named:
            yield f"{table}: {sql}"


@contextmanager
def named(*, reads: bool = True) -> Iterator[CaptureQueriesContext]:
    """Fail at the end of the block if a statement inside did not name the member.

    Args:
        reads: also check statements that only read.
    """
    with CaptureQueriesContext(connection) as context:
        yield context
    looked_at = [query["sql"] for query in context.captured_queries if reads or not query["sql"].startswith("SELECT")]
    assert looked_at
    found = [one for sql in looked_at for one in unnamed(sql)]
    assert not found, found[0]

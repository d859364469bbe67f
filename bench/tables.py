"""Rows copied into the tables of models, so that two million of them take a minute and not ten."""

import random
from collections.abc import Iterable
from uuid import UUID

from django.db import connection
from django.db.models import Model

from accounts.models import Member, MemberAddress

chance = random.Random(7)  # noqa: S311  # data for measuring, the same every time


def new_id() -> UUID:
    """A fresh id, the same in every run."""
    return UUID(int=chance.getrandbits(128), version=4)


def copy_members(members: Iterable[Member]) -> None:
    """Add members with their addresses."""
    rows = list(members)
    copy(Member, rows)
    copy(MemberAddress, (MemberAddress(email=row.email, member_id=row.id) for row in rows))


def copy(model: type[Model], rows: Iterable[Model]) -> None:
    """Add `rows` to the table of `model`: by COPY into PostgreSQL, which has the many."""
    if connection.vendor == "sqlite":
        model._meta.base_manager.bulk_create(rows)
        return
    fields = model._meta.local_concrete_fields
    columns = ", ".join(f'"{field.column}"' for field in fields)
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 0")  # on a busy machine a table takes longer than a call may
    with connection.cursor() as cursor, cursor.copy(f'COPY "{model._meta.db_table}" ({columns}) FROM STDIN') as stream:
        for row in rows:
            stream.write_row([getattr(row, field.attname) for field in fields])

"""The place of each table when members are distributed over servers, by the models, and the statements that move it.

Models with a foreign key to the member have their rows on the member's server. Tables that those rows refer to are on
every server. All others are only on the coordinator: tables that are read before the member is known, and tables for
operators.

Each server sees only its own rows, so foreign keys and unique keys must include the member. The keys of a table change
with its place. The primary key `id` becomes `(member_id, id)` and replaces a unique key of that form. Other unique
constraints get the member as last column, so that their indexes still serve queries by the first columns. Citus refuses
a unique index without the member. References to members from tables on the coordinator lose their foreign keys. Citus
does not support PostgreSQL's `ON DELETE SET NULL (column)`, so the service empties such references itself.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any

from django.apps import apps
from django.contrib.auth import get_user_model
from django.db import connection
from django.db.models import Model

ON_COORDINATOR = {
    "accounts.BrowserSession": "found by a cookie, before the member is known",
    "accounts.MemberAddress": "maps an address to its member",
    "accounts.LinkedIdentity": "maps an identity to its member",
    "accounts.ProviderSignIn": "found by its id, mostly before the member is known",
    "accounts.SecretOwner": "maps a secret to its member",
    "accounts.SignInCode": "found by its id, also for addresses that do not belong to a member",
    "planning.DueCalendar": "asked for those of all members",
    "admin.LogEntry": "the operators' log, read by operators",
    "oauth2_provider.DeviceGrant": "not in use",
    "oauth2_provider.IDToken": "not in use",
}
"""Models with a foreign key to the member whose tables are only on the coordinator, with the reason."""

ON_EVERY_SERVER = {"oauthserver.BlockedApp": "joined with access tokens"}
"""Models whose tables are on every server, besides those that members' rows refer to, with the reason."""

MEMBERS = "accounts_member"
"""The table of members. Other tables with their rows are placed like it."""

_FOREIGN_KEYS = r"""
    SELECT conrelid::regclass::text, confrelid::regclass::text,
        format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname),
        format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname,
            regexp_replace(pg_get_constraintdef(oid), ' ON DELETE SET NULL( \([^)]*\))?', ''))
    FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace ORDER BY 1, conname
"""


@cache
def by_member() -> dict[str, str]:
    """Return the tables placed with their members, and the column of each with the member. That of members is first."""
    found = {MEMBERS: "id"}
    for model in apps.get_models(include_auto_created=True):
        for field in model._meta.local_concrete_fields:
            if field.related_model is get_user_model() and model._meta.label not in ON_COORDINATOR:
                found[model._meta.db_table] = str(field.column)
    return found


@cache
def everywhere() -> frozenset[str]:
    """Return the tables that members' rows refer to, directly or indirectly, and those of `ON_EVERY_SERVER`."""
    owned = {model for model in apps.get_models(include_auto_created=True) if model._meta.db_table in by_member()}
    found: set[type[Model]] = {apps.get_model(label) for label in ON_EVERY_SERVER}
    while more := {target for model in owned | found for target in _targets(model)} - owned - found:
        found |= more
    return frozenset(model._meta.db_table for model in found)


def _targets(model: type[Model]) -> Iterator[Any]:
    """Yield the models that the foreign keys of `model` refer to, and those that link it to others."""
    yield from (field.related_model for field in model._meta.local_concrete_fields if field.related_model)
    yield from (field.remote_field.through for field in model._meta.local_many_to_many)


def plan(cursor: Any, shards: int) -> list[str]:
    """Return the statements, for one transaction. Empty if every existing table is in place.

    Args:
        shards: number of shards, if members are not distributed yet. A shard moves as a whole.
    """
    moved = to_be_moved(cursor)
    if not moved:
        return []
    distributed = {name: column for name, column in by_member().items() if name in moved}
    copied = sorted(everywhere() & moved)
    cursor.execute(_FOREIGN_KEYS)
    keys = [key for key in cursor.fetchall() if {*key[:2]} & moved]
    like = dict.fromkeys(distributed, f"colocate_with => '{MEMBERS}'") | {MEMBERS: f"shard_count => {shards}"}
    return [
        # One connection to each server for the whole transaction, for the foreign keys between the tables.
        "SET LOCAL citus.multi_shard_modify_mode TO 'sequential'",
        *(drop for _, _, drop, _ in keys),
        *(sql for name, column in distributed.items() for sql in _with_member(cursor, name, column)),
        *(f"SELECT create_reference_table('{name}')" for name in copied),
        *(f"SELECT create_distributed_table('{name}', '{by}', {like[name]})" for name, by in distributed.items()),
        *(f"SELECT truncate_local_data_after_distributing_table('{name}')" for name in (*copied, *distributed)),
        *(add for table, target, _, add in keys if table in by_member() or target not in by_member()),
    ]


def to_be_moved(cursor: Any) -> set[str]:
    """Return the tables that exist and are still only on the coordinator."""
    moved = {*connection.introspection.table_names(cursor)} & {*by_member(), *everywhere()}
    if has_citus(cursor):
        cursor.execute("SELECT table_name::text FROM citus_tables WHERE citus_table_type <> 'local'")
        moved -= {name for (name,) in cursor.fetchall()}
    return moved


def has_citus(cursor: Any) -> bool:
    """Return whether the extension is in this database."""
    cursor.execute("SELECT 1 FROM pg_extension WHERE extname = 'citus'")
    return cursor.fetchone() is not None


def _with_member(cursor: Any, table: str, column: str) -> Iterator[str]:
    """Yield the statements that add the member to unique constraints without it. See the module docstring."""
    for name, found in connection.introspection.get_constraints(cursor, table).items():
        columns, is_primary = found["columns"], found["primary_key"]
        is_new_key = {*columns} == {column, "id"} and not is_primary
        if found["unique"] and not found["index"] and (column not in columns or is_new_key):
            yield f'ALTER TABLE {table} DROP CONSTRAINT "{name}"'
            if not is_new_key:
                kind, keys = ("PRIMARY KEY", [column, *columns]) if is_primary else ("UNIQUE", [*columns, column])
                yield f'ALTER TABLE {table} ADD CONSTRAINT "{name}" {kind} ({", ".join(keys)})'

"""A database of the last release is upgraded with its rows; an older one is refused."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import Group, Permission
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from tests.server.test_database_rules import owned_rows
from tests.support import databases
from tests.support.releases import RELEASED, released
from tests.support.schema import described

Contents = dict[str, list[dict[str, Any]]]


def migrate_back() -> None:
    """To the schema of the release."""
    MigrationExecutor(connection).migrate(released(MigrationLoader(connection)))


def recorded() -> set[tuple[str, str]]:
    """App and name of the applied migrations, as `django_migrations` has them."""
    return set(MigrationRecorder(connection).applied_migrations())


def contents(models: list[Any]) -> Contents:
    """Every row of these models, with the columns that the release had too."""
    loader = MigrationLoader(None)
    state = loader.project_state(released(loader))
    tables = {one.options.get("db_table") or "_".join(key): one for key, one in state.models.items()}
    found = {}
    for model in models:
        if (released_model := tables.get(model._meta.db_table)) is not None:
            names = [one.attname for one in model._meta.concrete_fields if one.name in released_model.fields]
            found[model._meta.label] = list(model.objects.order_by("pk").values(*names))
    return found


@pytest.fixture
def copied(tmp_path: Path) -> Iterator[None]:
    """Django's queries go to a copy of the migrated database."""
    with databases.copied(f"upgraded_{tmp_path.name}", tmp_path) as url, databases.connected(url):
        yield


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("copied")
def test_a_database_of_the_release_goes_on(make_member: Any) -> None:
    """Its rows stay as they are on the way back and forth, and operators keep their permissions for the log of changes,
    which belonged to `accounts`. It has recorded all migrations up to the release, whose files no longer exist, and no
    second `initial`.
    """
    schema, recorder, group = described(), MigrationRecorder(connection), Group.objects.create(name="helpers")
    alone, grouped = make_member(), make_member()
    grouped.groups.set([group])
    models = list(owned_rows(alone))
    owned_rows(grouped)
    before = contents(models)
    migrate_back()
    assert contents(models) == before
    assert described() != schema
    group.permissions.set(Permission.objects.filter(content_type__app_label="accounts", codename="view_change"))
    alone.user_permissions.set(group.permissions.all())
    ids = set(Permission.objects.values_list("id", flat=True))
    recorder.record_applied("courses", "0002_database_rules")
    for app in ("courses", "grades"):
        recorder.record_unapplied(app, "0002_initial")
    assert RELEASED.items() <= recorded()
    call_command("migrate", verbosity=0)
    assert contents(models) == before
    assert described() == schema
    assert ("courses", "0002_initial") in recorded()
    assert [one.get_all_permissions() for one in (alone, grouped)] == [{"studyservice.view_change"}] * 2
    assert set(Permission.objects.values_list("id", flat=True)) == ids


@pytest.mark.usefixtures("copied")
def test_a_database_from_before_the_release_is_refused_as_it_is() -> None:
    """Also one in which only the last migration of the release is missing, because its `migrate` was interrupted."""
    recorder = MigrationRecorder(connection)
    for app in ("vocab", "courses"):
        recorder.record_unapplied(app, RELEASED[app])
    before = described(), recorded()
    with pytest.raises(CommandError, match=r"^Not migrated: the tables of courses, vocab are older"):
        call_command("migrate", verbosity=0)
    assert (described(), recorded()) == before

"""Databases of the last release and of the oldest one are upgraded with their rows; one from before is refused."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from oauthserver.models import Application
from studyservice.database.migration_states import rendered_sparingly
from tests.server.test_database_rules import owned_rows
from tests.support import databases
from tests.support.releases import oldest, released, replaced
from tests.support.schema import described

Contents = dict[str, list[dict[str, Any]]]


Version = Callable[[MigrationLoader], list[tuple[str, str]]]


def migrate_back(version: Version) -> None:
    with rendered_sparingly():
        MigrationExecutor(connection).migrate(version(MigrationLoader(connection)))


def recorded() -> set[tuple[str, str]]:
    """App and name of the applied migrations, as `django_migrations` has them."""
    return set(MigrationRecorder(connection).applied_migrations())


def contents(models: list[Any], version: Version) -> Contents:
    """Every row of these models, with the columns that the version had too."""
    loader = MigrationLoader(None)
    state = loader.project_state(version(loader))
    found = {}
    for model in models:
        key = (model._meta.app_label, model._meta.model_name)
        if key in state.models:
            names = [one.attname for one in model._meta.concrete_fields if one.name in state.models[key].fields]
            found[model._meta.label] = list(model.objects.order_by("pk").values(*names))
    return found


@pytest.mark.parametrize(("version", "named"), [(released, False), (oldest, True)])
@pytest.mark.django_db(transaction=True)
def test_rows_stay_as_they_are_on_the_way_back_and_forth(make_member: Any, version: Version, named: bool) -> None:
    """In the oldest database, apps had no column for whether they named their method, which then counts as named."""
    models = list(owned_rows(make_member()))
    owned_rows(make_member())
    Application.objects.update(auth_method_named=False)
    before = contents(models, version)
    try:
        migrate_back(version)
        assert contents(models, version) == before
    finally:
        call_command("migrate", verbosity=0)
    assert contents(models, version) == before
    assert set(Application.objects.values_list("auth_method_named", flat=True)) == {named}


@pytest.fixture
def copied(tmp_path: Path) -> Iterator[None]:
    """Django's queries go to a copy of the migrated database."""
    with databases.copied(f"upgraded_{tmp_path.name}", tmp_path) as url, databases.connected(url):
        yield


@pytest.mark.parametrize("version", [released, oldest])
@pytest.mark.usefixtures("copied")
def test_an_older_database_goes_on(version: Version) -> None:
    """The database has the rows of all migrations up to the oldest, whose files no longer exist."""
    schema = described()
    migrate_back(version)
    MigrationRecorder(connection).record_applied("courses", "0002_database_rules")
    assert described() != schema
    assert replaced(MigrationLoader(None)).items() <= recorded()
    call_command("migrate", verbosity=0)
    assert described() == schema


@pytest.mark.usefixtures("copied")
def test_a_database_from_before_the_oldest_is_refused_as_it_is() -> None:
    recorder, last = MigrationRecorder(connection), replaced(MigrationLoader(None))
    recorder.record_unapplied("vocab", last["vocab"])
    recorder.record_unapplied("courses", last["courses"])
    before = described(), recorded()
    with pytest.raises(CommandError, match=r"^Not migrated: the tables of courses, vocab are older"):
        call_command("migrate", verbosity=0)
    assert (described(), recorded()) == before

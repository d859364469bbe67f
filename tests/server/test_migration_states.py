"""Only changed models are rendered again after each migration, with the same result."""

from typing import Any

import pytest
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState, StateApps
from django.db.models import TextField

from studyservice.database.migration_states import rendered_sparingly

pytestmark = pytest.mark.database("sqlite", "uses no database")

EVERY = 8
"""Checking each migration would render every model for each."""


def models(apps: Any) -> dict[str, Any]:
    return {model._meta.label: model for model in apps.get_models(include_auto_created=True)}


def relations(apps: Any) -> dict[str, Any]:
    """The fields of each model after a migration forward and backward.

    References to deleted models are left out: Django itself keeps them in copies of a state.
    """
    registered = models(apps)
    return {
        label: sorted(
            (field.name, type(field).__name__, field.related_model._meta.label if field.related_model else "")
            for field in model._meta.get_fields(include_hidden=True)
            if not field.related_model or field.related_model._meta.label in registered
        )
        for label, model in registered.items()
    }


def replaced(apps: Any) -> set[str]:
    """Fields that refer to a class that has been replaced."""
    registered = models(apps)
    return {
        f"{label}.{field.name}"
        for label, model in registered.items()
        for field in (*model._meta.local_fields, *model._meta.local_many_to_many)
        if field.related_model and registered[field.related_model._meta.label] is not field.related_model
    }


def assert_whole(state: Any) -> None:
    assert relations(state.apps) == relations(StateApps(state.real_apps, state.models))
    assert replaced(state.apps) == set()


def test_the_result_equals_rendering_all_models() -> None:
    """In one state through all migrations, and in copies of it, as for migrating backward."""
    loader = MigrationLoader(None)
    nodes = (node for leaf in loader.graph.leaf_nodes() for node in loader.graph.forwards_plan(leaf))
    plan = [loader.graph.nodes[node] for node in dict.fromkeys(nodes)]
    state: Any = ProjectState(real_apps=loader.unmigrated_apps)
    assert models(state.apps).keys().isdisjoint({"accounts.Member"})
    with rendered_sparingly():
        for count, migration in enumerate(plan, 1):
            if looked_at := count % EVERY == 0 or count == len(plan):
                assert_whole(migration.mutate_state(state, preserve=True))
            migration.mutate_state(state, preserve=False)
            if looked_at:
                assert_whole(state)
    assert "accounts.Member" in models(state.apps)


def test_models_that_a_changed_model_refers_to_are_not_rendered() -> None:
    state: Any = MigrationLoader(None).project_state()
    before = models(state.apps)
    with rendered_sparingly():
        state.add_field("courses", "item", "room", TextField(default=""), preserve_default=True)
    again = {label for label, model in models(state.apps).items() if before[label] is not model}
    assert again == {"courses.Item", "planning.Milestone", "grades.GradeScore"}
    assert state.apps.get_model("courses", "item")._meta.get_field("room").default == ""

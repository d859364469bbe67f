"""Render fewer models between migrations, which is most of the work of `migrate`.

Operations use model classes that Django renders from the project's state. After an operation changes a model, Django
renders it again, with the models that it refers to, those that refer to them, and so on. Here nearly everything refers
to the member, so each of some three hundred operations would render nearly every class again.

A class holds the classes that it refers to, and finds those that refer to it through its registry. So only the models
that refer to the changed one must be rendered again, directly or indirectly.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db.migrations.state import ProjectState
from django.db.models import ForeignObjectRel, Model

Key = tuple[str, str]
"""App label and name of a model, in lower case."""


@contextmanager
def rendered_sparingly() -> Iterator[None]:
    """In the block, migration states render only a changed model and those that refer to it."""
    ours = {"reload_model": _reload_model, "reload_models": _reload_models}
    of_django = {name: getattr(ProjectState, name) for name in ours}
    for name, method in ours.items():
        setattr(ProjectState, name, method)
    try:
        yield
    finally:
        for name, method in of_django.items():
            setattr(ProjectState, name, method)


def _reload_model(state: Any, app_label: str, model_name: str, delay: bool = False) -> None:
    _reload_models(state, [(app_label, model_name)], delay)


def _reload_models(state: Any, models: Iterable[Key], delay: bool = True) -> None:
    """Render models that have changed.

    Args:
        state: a `ProjectState`. If it has rendered nothing yet, nothing is rendered again.
        models: the changed ones.
        delay: whether all relations are unchanged. A `RunPython` renders every model itself afterwards.
    """
    if "apps" not in vars(state):
        return
    registered = state.apps.get_models(include_auto_created=True, include_swapped=True)
    if not delay and any(model._meta.apps is not state.apps for model in registered):
        # Rendered in a copy, as in backward migrations: its classes would look up relations in the original registry.
        del state.apps
        state.is_delayed = False
        _ = state.apps
        return
    state.is_delayed = state.is_delayed or delay
    changed = set(models)
    again = changed | _referring(model for model in registered if _key(model) in changed)
    with state.apps.bulk_update():
        for key in again:
            state.apps.unregister_model(*key)
    state.apps.render_multiple([model for key, model in state.models.items() if key in again])


def _referring(changed: Iterable[type[Model]]) -> set[Key]:
    """Return these models and all that refer to or inherit from them, directly or indirectly."""
    found: set[Key] = set()
    queue = list(changed)
    while queue:
        model = queue.pop()
        if _key(model) not in found:
            found.add(_key(model))
            fields = model._meta.get_fields(include_hidden=True)
            queue += [field.related_model for field in fields if isinstance(field, ForeignObjectRel)]
            queue += model.__subclasses__()
    return found


def _key(model: type[Model]) -> Key:
    return model._meta.app_label, str(model._meta.model_name)

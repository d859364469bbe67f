"""What Django renders of the models as they were at a migration, which is most of the work of `migrate`.

Operations work with model classes that Django makes from the state of the project. After one that changes a model it
makes anew that model, what it refers to, what refers to those, and so on. Here nearly everything refers to the member,
so that each of some three hundred operations would make nearly every class again.

A class holds the classes that it refers to, and finds those that refer to it through its registry. So what refers to
the changed model must be made anew, and what refers to that; what it refers to need not.
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
    """Meanwhile, states of migrations render a changed model and those that refer to it, and no others."""
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
        state: a `ProjectState`; one that has rendered nothing yet has nothing to render again.
        models: those that have changed.
        delay: whether all relations are as they were. A `RunPython` renders every model for itself afterwards.
    """
    if "apps" not in vars(state):
        return
    registered = state.apps.get_models(include_auto_created=True, include_swapped=True)
    if not delay and any(model._meta.apps is not state.apps for model in registered):
        # A copy, as on the way back: classes in it ask the registry that they were copied from for their relations.
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
    """These models, those that refer to them or inherit from them, those that refer to those, and so on."""
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

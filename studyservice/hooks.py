"""What an app calls in the apps above it, which it must not import; settings name it, as they name Django's backends.

A name is resolved when it is first used, and once. The app that calls has a system check over its hooks, so that a name
that is wrong stops the start of the service.
"""

from collections.abc import Callable, ItemsView, Iterator, Mapping
from functools import cache
from inspect import Parameter, isfunction, signature
from typing import Any, ClassVar, Generic, TypeVar, get_args, get_origin

from django.conf import settings
from django.core.checks import CheckMessage, Error
from django.utils.module_loading import import_string

T = TypeVar("T")


@cache
def _resolved(name: str) -> Any:
    return import_string(name)


class _Hook(Generic[T]):
    """A setting that names objects.

    Attributes:
        setting: its name.
        shape: what each of them is: a `Callable[[…], …]`, or a protocol class with methods.
    """

    form: ClassVar[type]
    in_words: ClassVar[str]

    def __init__(self, setting: str, shape: Any) -> None:
        self.setting = setting
        self.shape = shape

    def _names(self) -> list[str]:
        raise NotImplementedError

    def check(self) -> list[CheckMessage]:
        """An error for each name that is wrong."""
        if not isinstance(getattr(settings, self.setting), self.form):
            return [Error(f"{self.setting} must be {self.in_words}.", id="hooks.E001")]
        return [error for name in self._names() for error in self._errors(name)]

    def _errors(self, name: str) -> Iterator[CheckMessage]:
        try:
            found = _resolved(name)
        except ImportError as error:
            yield Error(f"{self.setting}: {name} cannot be imported: {error}", id="hooks.E002")
            return
        if not _fits(found, self.shape):
            yield Error(f"{self.setting}: {name} is not a {_in_words(self.shape)}.", id="hooks.E003")


class Hook(_Hook[T]):
    """A setting that is one name."""

    form = str
    in_words = "a dotted name"

    def get(self) -> T:
        found: T = _resolved(getattr(settings, self.setting))
        return found

    def _names(self) -> list[str]:
        return [getattr(settings, self.setting)]


class HookList(_Hook[T]):
    """A setting that is a list of names, in the order in which they are called."""

    form = list
    in_words = "a list of dotted names"

    def __iter__(self) -> Iterator[T]:
        return map(_resolved, self._names())

    def _names(self) -> list[str]:
        names: list[str] = getattr(settings, self.setting)
        return names


class HookTable(_Hook[T]):
    """A setting that is a dictionary of names, in the order in which they are called."""

    form = dict
    in_words = "a dictionary of dotted names"

    def get(self, key: str) -> T | None:
        """The object under `key`, or None."""
        name = self._table().get(key)
        return None if name is None else _resolved(name)

    def items(self) -> ItemsView[str, T]:
        return {key: _resolved(name) for key, name in self._table().items()}.items()

    def _table(self) -> Mapping[str, str]:
        table: Mapping[str, str] = getattr(settings, self.setting)
        return table

    def _names(self) -> list[str]:
        return list(self._table().values())


def _fits(found: Any, shape: Any) -> bool:
    """Whether `found` takes and gives what `shape` says, by their annotations."""
    if get_origin(shape) is Callable:
        takes, gives = get_args(shape)
        return _types(found) == (takes, gives)
    methods = {name: method for name, method in vars(shape).items() if isfunction(method) and name[0] != "_"}
    return all(_types(getattr(found, name, None)) == _types(method, bound=True) for name, method in methods.items())


def _types(function: Any, *, bound: bool = False) -> tuple[list[Any], Any] | None:
    """The types of what `function` takes by position, without the first if it is `bound`, and of what it gives.

    None if it is no function, or its types cannot be told.
    """
    try:
        told = signature(function, eval_str=True)
    except (TypeError, ValueError, NameError):
        return None
    needed = [given.annotation for given in told.parameters.values() if given.default is Parameter.empty]
    return needed[bound:], told.return_annotation


def _in_words(shape: Any) -> str:
    return str(shape).removeprefix("collections.abc.") if get_origin(shape) is Callable else shape.__name__

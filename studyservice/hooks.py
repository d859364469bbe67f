"""Hooks: lower apps call code of higher apps, which they must not import.

The lower app defines the hook beside the code that calls it. Higher apps register in `AppConfig.ready`.
"""

from typing import Any, ClassVar, Generic, TypeVar

from django.core.checks import CheckMessage, Error, register
from django.urls import get_resolver

T = TypeVar("T")


class Hook(Generic[T]):
    """One object, which must be registered before the service starts.

    Args:
        name: for messages.
    """

    all: ClassVar[list["Hook[Any]"]] = []

    def __init__(self, name: str) -> None:
        self.name = name
        self.registered: list[T] = []
        self.all.append(self)

    def register(self, found: T) -> None:
        """Register the object. Raises ValueError if another one is registered."""
        if self.registered:
            raise ValueError(f"{self.name} is registered twice: {self.registered[0]!r} and {found!r}.")
        self.registered.append(found)

    def get(self) -> T:
        """Return the object. Raises LookupError if none is registered."""
        if not self.registered:
            raise LookupError(_missing(self))
        return self.registered[0]


class HookTable(dict[str, T]):
    """Objects by name, in the order of registration."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def register(self, key: str, found: T) -> None:
        """Register an object. Raises ValueError if `key` is registered."""
        if key in self:
            raise ValueError(f"{self.name} is registered twice for {key!r}: {self[key]!r} and {found!r}.")
        self[key] = found


class HookList(list[T]):
    """Objects in the order of registration."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def register(self, found: T) -> None:
        """Register an object. Raises ValueError if it is registered."""
        if found in self:
            raise ValueError(f"{self.name} is registered twice: {found!r}.")
        self.append(found)


@register
def check_hooks(**kwargs: Any) -> list[CheckMessage]:
    """Return an error for each hook without an object."""
    _ = get_resolver().url_patterns  # imports every module with a hook
    return [Error(_missing(hook), id="hooks.E001") for hook in Hook.all if not hook.registered]


def _missing(hook: Hook[Any]) -> str:
    return f"Nothing is registered for {hook.name}: call its register() in AppConfig.ready of an app."

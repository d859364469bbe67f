"""A hook without an implementation, or with two, stops the start."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import SystemCheckError

from accounts.api.views import PRACTICE_STREAK
from accounts.members.models import ERASE_MEMBER
from studyservice.hooks import Hook, HookList, HookTable

pytestmark = pytest.mark.database("sqlite", "hooks")

Count = Callable[[], int]


def one() -> int:
    return 1


def two() -> int:
    return 2


@pytest.fixture
def hook() -> Iterator[Hook[Count]]:
    made = Hook[Count]("COUNT")
    yield made
    Hook.all.remove(made)


@pytest.mark.parametrize("missing", [PRACTICE_STREAK, ERASE_MEMBER], ids=lambda hook: hook.name)
def test_the_service_does_not_start_with_an_empty_hook(missing: Hook[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(missing, "registered", [])
    with pytest.raises(SystemCheckError, match=f"Nothing is registered for {missing.name}: call its register"):
        call_command("check")


def test_every_hook_has_an_implementation() -> None:
    call_command("check")


def test_a_hook_accepts_one_implementation(hook: Hook[Count]) -> None:
    with pytest.raises(LookupError, match="Nothing is registered for COUNT"):
        hook.get()
    hook.register(one)
    assert hook.get() is one
    with pytest.raises(ValueError, match=r"COUNT is registered twice: .*one.* and .*two"):
        hook.register(two)


def test_a_table_accepts_one_implementation_per_key() -> None:
    table = HookTable[Count]("COUNTS")
    table.register("one", one)
    with pytest.raises(ValueError, match="COUNTS is registered twice for 'one'"):
        table.register("one", two)
    assert (table.get("one"), table.get("two")) == (one, None)
    assert list(table.items()) == [("one", one)]


def test_a_list_keeps_the_order_without_duplicates() -> None:
    several = HookList[Count]("COUNTS")
    for count in (two, one):
        several.register(count)
    with pytest.raises(ValueError, match="COUNTS is registered twice"):
        several.register(one)
    assert list(several) == [two, one]

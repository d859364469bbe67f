"""Cases of one test: they share its fixtures, and the rows that one makes are gone in the next.

A test of its own for each case would create a member, a key and a course for each.
"""

import copy
import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any

import pytest
from django.core import mail
from django.db import connection, transaction
from django.test import Client

from accounts import mail as posting
from studyservice.rates import limiter as rates

Test = Callable[..., None]


def each(names: str | Sequence[str], values: Iterable[Any]) -> Callable[[Test], Test]:
    """Call a test once for each value, as `pytest.mark.parametrize` does, but as one test.

    All cases run. Those that fail are reported together, each with its values. `--case TEXT` runs only those whose
    values contain the text. Used twice, it combines both. Changes to rows, rates and sent e-mails end with the case;
    others do not, so a test with `monkeypatch` or one that commits stays with `parametrize`.

    Args:
        names: parameters of the test, as a list or separated by commas.
        values: a value for each case, or a tuple where there are several names.
    """
    listed = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    ours = [dict(zip(listed, [value] if len(listed) == 1 else value, strict=True)) for value in values]

    def decorate(test: Test) -> Test:
        plain: Test = getattr(test, "plain", test)
        cases = [one | other for one in getattr(test, "cases", [{}]) for other in ours]

        @wraps(test)
        def all_cases(*instance: Any, **fixtures: Any) -> None:
            _run(lambda case: plain(*instance, **{name: _own(one) for name, one in fixtures.items()}, **case), cases)

        found = inspect.signature(plain)
        left = [one for name, one in found.parameters.items() if name not in cases[0]]
        vars(all_cases).update(plain=plain, cases=cases, __signature__=found.replace(parameters=left))
        return all_cases

    return decorate


def _run(call: Callable[[dict[str, Any]], None], cases: list[dict[str, Any]]) -> None:
    chosen = [case for case in cases if _chosen(case)]
    if not chosen:
        pytest.skip("no case has the text of --case")
    failures = []
    for case in chosen:
        try:
            with _rolled_back():
                call(case)
        except (Exception, pytest.fail.Exception) as failure:  # noqa: BLE001  # all are reported below
            failure.add_note(f"The case: {_written(case)}")
            failures.append(failure)
    if len(failures) == 1:
        raise failures[0]
    if failures:
        raise BaseExceptionGroup(f"{len(failures)} of {len(chosen)} cases", failures)


def _own(value: Any) -> Any:
    """Copy a fixture that a case may change, or the next would see its cookies, ids or values."""
    from tests.support.world import World  # which reads /openapi.json, for which some settings leave no host

    if isinstance(value, World):
        return value.copy()
    if isinstance(value, dict | list):
        return copy.deepcopy(value)
    if isinstance(value, Client):
        own = copy.copy(value)
        own.cookies = copy.deepcopy(value.cookies)
        return own
    return value


@contextmanager
def _rolled_back() -> Iterator[None]:
    """Undo what a case does. A test without a database has no transaction."""
    rates.clear()
    vars(mail).get("outbox", []).clear()
    if connection.in_atomic_block:
        case = transaction.atomic()
        vars(case)["_from_testcase"] = True  # as in Django's TestCase, so that durable blocks may begin in it
        with case:
            yield
            transaction.set_rollback(True)
    else:
        yield
    posting.drain()


_only: list[str] = []


def run_only(text: str) -> None:
    """Run only the cases whose values contain this text."""
    _only[:] = [text]


def _chosen(case: dict[str, Any]) -> bool:
    return all(text in _written(case) for text in _only)


def _written(case: dict[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}"[:300] for name, value in case.items())

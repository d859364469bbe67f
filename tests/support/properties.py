"""The number of examples of a property test: all in a thorough run, a sixth in a quick one."""

from typing import Any

from hypothesis import HealthCheck, settings

from tests.support.run import is_thorough


def examples(count: int, **others: Any) -> settings:
    """Settings of a property test that may use fixtures and run long.

    Args:
        count: number of examples in a thorough run.
        others: further settings of Hypothesis.
    """
    return settings(
        max_examples=count if is_thorough() else -(-count // 6),
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
        **others,
    )

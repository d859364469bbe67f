"""Start fails if a setting names what is not there, or is of another kind than it is used as."""

from typing import Any

from django.core.checks import CheckMessage, register

from courses.courses import COURSE_CATEGORIES
from courses.readiness import READINESS


@register()
def check_hooks(**kwargs: Any) -> list[CheckMessage]:
    """What other apps do for this one."""
    return [*COURSE_CATEGORIES.check(), *READINESS.check()]

"""Declarations of the models whose rows belong to a member, and the numbers of rows that they limit.

The packages of `studyservice` know the member only as the class that `AUTH_USER_MODEL` names.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from django.contrib.auth.models import _User as Member  # the type checker's name of that class
else:
    Member = Any

__all__ = ["Member"]

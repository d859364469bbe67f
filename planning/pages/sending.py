"""Carrying out a form, and showing its errors."""

from collections.abc import Callable
from typing import TypeVar

from django import forms

from studyservice.operations.errors import ApiError, Conflict, ValidationFailed

T = TypeVar("T")

_WORDS = {"item_id": "This item has a score already, or no longer exists. Choose another."}
_GONE = "This choice no longer works. Choose again."


def sent(form: forms.Form, do: Callable[[], T]) -> T | ApiError:
    """Return the result of `do`, or its error after adding it to the form or a field.

    Raises:
        NotFound: the object of the form no longer exists.
    """
    try:
        return do()
    except Conflict as error:
        form.add_error(None, error.message)
        return error
    except ValidationFailed as error:
        for detail in error.details or ():
            field = detail["field"]
            form.add_error(field if field in form.fields else None, _WORDS.get(field, _GONE))
        return error

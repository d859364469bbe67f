"""What a form does, and what happens if it is refused."""

from collections.abc import Callable
from typing import TypeVar

from django import forms
from django.http import Http404

from studyservice.operations.errors import ApiError, Conflict, NotFound, ValidationFailed

T = TypeVar("T")

_WORDS = {"item_id": "This item has a score already, or no longer exists. Choose another."}
_GONE = "This choice no longer works. Choose again."


def sent(form: forms.Form, do: Callable[[], T]) -> T | ApiError:
    """Return what `do` returns, or the refusal, which is then an error of the form or of its field.

    Raises:
        Http404: what the form is about no longer exists.
    """
    try:
        return do()
    except NotFound as error:
        raise Http404 from error
    except Conflict as error:
        form.add_error(None, error.message)
        return error
    except ValidationFailed as error:
        for detail in error.details or ():
            field = detail["field"]
            form.add_error(field if field in form.fields else None, _WORDS.get(field, _GONE))
        return error

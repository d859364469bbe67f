"""Forms that make something: sent twice, as by a double click or a reload, they make it once.

The form carries a key of its own in a hidden field, and what it made is kept under that key as the answer to a call
with an `Idempotency-Key` is (`accounts.idempotency.replaying`).
"""

import hashlib
from collections.abc import Callable
from typing import Any, cast
from uuid import uuid4

import orjson
from django import forms
from django.http import HttpRequest

from accounts.idempotency.replaying import HEADER, Answer, KeyedCall, answer_once
from accounts.members.models import Member
from studyservice.operations.codec import encode
from studyservice.operations.declaration import Operation
from studyservice.operations.errors import Conflict, ValidationFailed

_OF_EVERY_FORM = {"csrfmiddlewaretoken"}


class OnceForm(forms.Form):
    """A form with a key of its own; its template renders `hidden_fields`."""

    form_key = forms.UUIDField(initial=uuid4, required=False, widget=forms.HiddenInput)

    def make_once(
        self, request: HttpRequest, member: Member, operation: Operation, make: Callable[[], Any]
    ) -> dict[str, Any]:
        """The record that `make` answers, or that this very form made before; what came without a key is made.

        Args:
            operation: whose record it is.

        Raises:
            ApiError: of `make`.
            Conflict: the form was sent with something else before, or is being worked on for longer than it may.
        """
        key = self.cleaned_data["form_key"] or uuid4()
        call = KeyedCall(member.id, member.id, str(key), _fingerprint(request, operation))
        try:
            outcome = answer_once(call, lambda: Answer(operation.status, encode(make())))
        except ValidationFailed as error:
            if any(detail["field"] == HEADER for detail in error.details or ()):
                raise Conflict("This form was sent before, with something else in it. Open it anew.") from error
            raise
        return cast("dict[str, Any]", orjson.loads(outcome.content))


def done_once(request: HttpRequest, member: Member, operation: Operation, do: Callable[[], str]) -> str:
    """What `do` says that it did, or what it said when this very form, which has a `OnceForm`'s key, came before.

    Raises:
        ApiError: of `do`.
        Conflict: the form was sent with something else before, or is being worked on for longer than it may.
    """
    form = OnceForm(request.POST)
    if not form.is_valid():  # the key is none of ours
        form.cleaned_data["form_key"] = None
    said: str = form.make_once(request, member, operation, lambda: {"said": do()})["said"]
    return said


def _fingerprint(request: HttpRequest, operation: Operation) -> str:
    sent = {name: values for name, values in request.POST.lists() if name not in _OF_EVERY_FORM}
    content = orjson.dumps(sent, option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(f"{operation.id} {request.path}\n".encode() + content).hexdigest()

"""Forms that are safe to submit twice, as after a double click or a reload.

Each form has a key in a hidden field. Its result is stored under that key, like the answer to a call with an
`Idempotency-Key` (`studyservice.changes.replaying`).
"""

import hashlib
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode
from uuid import UUID, uuid4

import orjson
from django import forms
from django.http import HttpRequest

from accounts.members.models import Member
from studyservice.changes.calls import required_call
from studyservice.changes.replaying import HEADER, KeyedAnswer, KeyedCall, answer_once
from studyservice.operations.codec import encode
from studyservice.operations.declaration import Operation
from studyservice.operations.errors import Conflict, ValidationFailed


def address_here(request: HttpRequest, *parameters: str, path: str | None = None) -> str:
    """Return the path with those of `parameters` that the page was requested with.

    Other parameters are dropped, because a link could contain anything, even a secret.

    Args:
        path: the page to return to, if the form was sent to another one.
    """
    kept = {name: request.GET[name] for name in parameters if name in request.GET}
    path = path or request.path
    return f"{path}?{urlencode(kept)}" if kept else path


_CHANGES = "form_changes"
_OF_EVERY_FORM = {"csrfmiddlewaretoken"}


class OnceForm(forms.Form):
    """A form with a unique key. Its template renders `hidden_fields`."""

    form_key = forms.UUIDField(initial=uuid4, required=False, widget=forms.HiddenInput)

    def make_once(
        self, request: HttpRequest, member: Member, operation: Operation, make: Callable[[], Any]
    ) -> dict[str, Any]:
        """Return the record from `make`, or the one that this form created before. Without a key, always call `make`.

        Args:
            operation: the operation that returns the record.

        Raises:
            ApiError: raised by `make`.
            Conflict: the form was sent before with other contents, or is still being processed.
        """
        key = self.cleaned_data["form_key"] or uuid4()
        sent = {name: values for name, values in request.POST.lists() if name not in _OF_EVERY_FORM}
        content = orjson.dumps(sent, option=orjson.OPT_SORT_KEYS)
        digest = hashlib.sha256(f"{operation.id} {request.path}\n".encode() + content)
        keyed = KeyedCall(member.id, member.id, str(key), digest.hexdigest())
        try:
            outcome = answer_once(keyed, lambda: KeyedAnswer(operation.status, encode(_with_changes(make()))))
        except ValidationFailed as error:
            if any(detail["field"] == HEADER for detail in error.details or ()):
                raise Conflict("This form was sent before, with something else in it. Open it anew.") from error
            raise
        record: dict[str, Any] = orjson.loads(outcome.content)
        required_call().change_ids = [*map(UUID, record.pop(_CHANGES, ()))]
        return record


def _with_changes(record: Mapping[str, Any]) -> dict[str, Any]:
    """Store the ids of its changes with the record, so that the answer to a repeated form offers to undo them."""
    return {**record, _CHANGES: required_call().change_ids}


def done_once(request: HttpRequest, member: Member, operation: Operation, do: Callable[[], str]) -> str:
    """Return the message from `do`, or the first message if this form was sent before.

    Raises:
        ApiError: raised by `do`.
        Conflict: the form was sent before with other contents, or is still being processed.
    """
    form = OnceForm(request.POST)
    if not form.is_valid():  # the key is not a UUID
        form.cleaned_data["form_key"] = None
    said: str = form.make_once(request, member, operation, lambda: {"said": do()})["said"]
    return said

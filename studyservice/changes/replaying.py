"""`Idempotency-Key`: run a POST once per key, and repeat its first answer.

The answer is stored in the same transaction as the call's writes, under the member's lock. Neither can exist without
the other. A retry that arrives meanwhile waits for the lock and then finds the answer. The header is defined by
draft-ietf-httpapi-idempotency-key-header.

No transaction is open before the first write, so an action may do slow work that needs no lock. A first call takes four
statements more than one without a key, and a replay two in all, including that for its credential. A long answer takes
one more, or two when older ones are deleted to make room.
"""

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, NamedTuple, TypedDict
from uuid import UUID

import orjson
from django.db import OperationalError
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import DateTimeField, Func, IntegerField, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce, Greatest
from django.http import HttpRequest
from django.utils import timezone

from studyservice.changes.calls import required_call
from studyservice.changes.writing import writing
from studyservice.database.statements import Param, Select
from studyservice.database.waits import ended_waiting, gave_up
from studyservice.models import IdempotencyKey
from studyservice.operations.declaration import Operation
from studyservice.operations.errors import ApiError, Conflict, InvalidRequest, ValidationFailed
from studyservice.operations.uploads import Received

HEADER = "Idempotency-Key"
META = "HTTP_IDEMPOTENCY_KEY"
"""The header's key in `request.META`."""

REPLAYED = "Idempotency-Replayed"
"""The header of repeated answers."""

KEPT_FOR = timedelta(hours=24)
"""How long a call can be repeated."""

MAX_KEYS = 1000
"""Maximum number of keys per member. The oldest are deleted first."""

LONG = 64 * 1024
"""Bytes above which an answer counts as long."""

MAX_LONG_BYTES = 64 * 1024 * 1024
"""Maximum bytes of a member's long answers. The oldest are deleted first. A deck of 500 cards takes up to 7 MB."""

_KEY = re.compile(r"[!-~]{1,255}")


class _Kept(TypedDict):
    fingerprint: str
    status: int
    answer: str
    whole: bool


_FIND = Select(
    IdempotencyKey.objects.filter(
        member_id=Param("member_id"), holder=Param("holder"), key=Param("key"), created_at__gt=Param("since")
    ),
    _Kept,
)


@dataclass(frozen=True, slots=True)
class KeyedCall:
    """A POST with a key.

    Attributes:
        holder: the API key or the connection that sent it (a connection outlives its access tokens). For a form on the
            member's pages, the member.
        fingerprint: distinguishes the call from others, in hexadecimal.
    """

    member_id: UUID
    holder: UUID
    key: str
    fingerprint: str

    @classmethod
    def of(
        cls, request: HttpRequest, operation: Operation, sent: object, *, member_id: UUID, holder: UUID
    ) -> "KeyedCall":
        """Return the call of `request`; `sent` is its parsed body.

        Raises:
            InvalidRequest: the key is invalid.
        """
        key = request.META[META]
        if not _KEY.fullmatch(key):
            raise InvalidRequest(f"{HEADER} must have 1 to 255 visible ASCII characters. A random UUID does.")
        target = f"{operation.id} {request.get_full_path()}\n".encode()
        digest = hashlib.sha256(target + _canonical(sent, request))
        return cls(member_id, holder, key, digest.hexdigest())

    def find(self) -> _Kept | None:
        """Return the stored answer of the first call, or None.

        Raises:
            ValidationFailed: the key was used for a different call.
        """
        kept = _FIND.first(member_id=self.member_id, holder=self.holder, key=self.key, since=timezone.now() - KEPT_FOR)
        if kept is not None and kept["fingerprint"] != self.fingerprint:
            raise ValidationFailed.of(
                HEADER, "Was sent with another call. Each call needs a new key; only the same call goes with the same."
            )
        return kept


def _canonical(sent: object, request: HttpRequest) -> bytes:
    """Return the body as JSON with sorted names and no white space, or the bytes received if that is impossible.

    It is impossible for lone surrogates, and for nesting that orjson reads but does not write. Files count by their
    contents, since the boundary of a form differs each time. Bytes were sent to an operation without a body; an empty
    object counts as none.
    """
    if isinstance(sent, Received):
        return sent.digest()
    try:
        if isinstance(sent, bytes):
            sent = orjson.loads(sent or b"{}")
            sent = None if sent == {} else sent
        return orjson.dumps(sent, option=orjson.OPT_SORT_KEYS)
    except (orjson.JSONDecodeError, orjson.JSONEncodeError):
        return request.body


class KeyedAnswer(NamedTuple):
    """The answer to a call with a key.

    Attributes:
        content: its record, in JSON.
        replayed: whether it is a repetition.
    """

    status: int
    content: bytes
    replayed: bool = False


class _DoneError(Exception):
    """The first call has ended while this one waited for the member's lock."""

    def __init__(self, kept: _Kept) -> None:
        self.kept = kept
        super().__init__()


class _Bytes(Func):
    """The length of a text in bytes. PostgreSQL knows it without reading the text."""

    function = "OCTET_LENGTH"
    output_field = IntegerField()

    def as_sqlite(self, compiler: Any, connection: BaseDatabaseWrapper, **_: Any) -> Any:
        """Use SQLite's function, which exists since 3.43."""
        return self.as_sql(compiler, connection, template="LENGTH(CAST(%(expressions)s AS BLOB))")


def answer_once(keyed: KeyedCall, run: Callable[[], KeyedAnswer]) -> KeyedAnswer:
    """Run the current call and store its answer, or return the answer stored under the same key.

    Only successes are stored.

    Raises:
        ApiError: raised by `run`. The call may be sent again under the same key.
        ValidationFailed: the key was used for a different call.
        Conflict: another call of the member is still running after the longest wait.
        NoActor: there is no current call.
    """
    kept = keyed.find()
    if kept is None:
        try:
            return _first_answer(keyed, run)
        except _DoneError as done:
            kept = done.kept
        except ApiError:
            kept = keyed.find()  # the first call may have ended in the meantime and caused this error
            if kept is None:
                raise
        except OperationalError as error:
            if not ended_waiting(error):
                raise
            gave_up.send(answer_once)
            raise Conflict(
                "Another call of yours is still running. Send this one again, with the same key.",
                headers={"Retry-After": "1"},
            ) from error
    if not kept["whole"]:  # stored by an earlier version
        raise Conflict("This call was carried out, but its answer was not kept. Read again what it changed.")
    return KeyedAnswer(kept["status"], kept["answer"].encode(), replayed=True)


def _first_answer(keyed: KeyedCall, run: Callable[[], KeyedAnswer]) -> KeyedAnswer:
    """Run the call, and store the answer in the same transaction, which begins with the first write."""

    def admit() -> None:
        """Stop if the first call has ended while this one waited for the member's lock."""
        kept = keyed.find()
        if kept is not None:
            raise _DoneError(kept)

    with required_call().one_transaction(admit) as shared:
        answer = run()
        if not shared.has_begun:  # nothing was written
            with writing(keyed.member_id):
                pass
        _keep(keyed, answer)
    return answer


def _keep(keyed: KeyedCall, answer: KeyedAnswer) -> None:
    """Store the answer until it expires, under the member's lock."""
    now = timezone.now()
    mine = IdempotencyKey.objects.filter(member_id=keyed.member_id)
    expired = Value(now - KEPT_FOR, DateTimeField())
    in_the_way = Subquery(mine.order_by("-created_at").values("created_at")[MAX_KEYS - 1 : MAX_KEYS])
    mine.filter(created_at__lte=Greatest(expired, Coalesce(in_the_way, expired))).delete()
    if len(answer.content) > LONG:
        _require_space(mine, len(answer.content))
    IdempotencyKey.objects.create(
        member_id=keyed.member_id,
        holder=keyed.holder,
        key=keyed.key,
        fingerprint=keyed.fingerprint,
        status=answer.status,
        answer=answer.content.decode(),
        whole=True,
        created_at=now,
    )


def _require_space(mine: QuerySet[IdempotencyKey], needed: int) -> None:
    """Delete the oldest long answers until there is space for one of `needed` bytes."""
    long = mine.annotate(size=_Bytes("answer")).filter(size__gt=LONG)
    too_old = []
    for key_id, size in long.order_by("-created_at").values_list("id", "size"):
        needed += size
        if needed > MAX_LONG_BYTES:
            too_old.append(key_id)
    if too_old:
        mine.filter(id__in=too_old).delete()

"""Readings of uploads by the model: asked for, queued, and stored with the upload."""

import logging
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from functools import cache
from threading import Condition, Thread
from typing import Annotated, Final, TypedDict
from uuid import UUID

from django.conf import settings
from django.db import connection, connections
from django.db.models.functions import Coalesce
from django.utils import timezone

from accounts.models import Member
from courses.model_reading.asking import KnownCourse, ask, message_for
from courses.models import Course, SyllabusFile
from studyservice.database.statements import Param
from studyservice.fetching.model_api import ModelError
from studyservice.operations.answers import answer, one_of
from studyservice.operations.errors import NotFound, RateLimited, ValidationFailed
from studyservice.rates.limiter import Rate, hit
from studyservice.rows.access import Access, MemberSelect, change
from studyservice.server.signals import syllabus_read

logger = logging.getLogger(__name__)

AT_ONCE: Final = 2

Task = Callable[[], None]


class Tasks:
    """Waiting tasks. Members take turns, so that the many uploads of one do not delay another's."""

    def __init__(self) -> None:
        self._waiting: dict[UUID, deque[Task]] = {}
        self._changed = Condition()

    def put(self, member_id: UUID, task: Task) -> None:
        """Add a task of a member."""
        with self._changed:
            self._waiting.setdefault(member_id, deque()).append(task)
            self._changed.notify()

    def take(self) -> Task:
        """Wait for a task, and move its member to the end."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting)
            member_id = next(iter(self._waiting))
            tasks = self._waiting.pop(member_id)
            task = tasks.popleft()
            if tasks:
                self._waiting[member_id] = tasks
            return task


def begin_later(member_id: UUID, task: Task) -> None:
    """Run a task of a member when a thread is free."""
    _tasks().put(member_id, task)


@cache
def _tasks() -> Tasks:
    """Create the queue and its threads at the first reading.

    The threads are daemons, unlike those of an executor: a server that stops does not wait two minutes for a model. A
    reading that ends with its process is failed when its time is over.
    """
    tasks = Tasks()
    for number in range(AT_ONCE):
        Thread(target=_run, args=[tasks], name=f"model-reading-{number}", daemon=True).start()
    return tasks


def _run(tasks: Tasks) -> None:
    while True:
        task = tasks.take()
        try:
            task()
        except Exception:  # no caller is left to handle the error
            logger.exception("A reading of a syllabus failed")
        finally:
            connections.close_all()


RULES: Final = "rules"
MODEL: Final = "model"
READERS: Final = (RULES, MODEL)

READING: Final = "reading"
READY: Final = "ready"
FAILED: Final = "failed"
STATES: Final = (READING, READY, FAILED)

LONGEST: Final = timedelta(minutes=15)
"""A reading that has not ended this long after it was asked for has failed."""

MOST_CHARACTERS: Final = 200_000
"""Maximum length of a text that a model is asked to read."""

_TOO_LATE: Final = "It was not read within 15 minutes."
_NO_TEXT: Final = "The file has no text that could be read."
_TOO_LONG: Final = f"The text has more than {MOST_CHARACTERS:,} characters."
_FAULT: Final = "The service failed to read it."


MOST_A_DAY: Final = Rate.MODEL_READINGS.item.amount
"""Maximum number of readings of a member in 24 hours."""


class TooManyReadings(RateLimited):
    """The member has asked for `MOST_A_DAY` readings."""

    reason = f"The model reads at most {MOST_A_DAY} syllabi in 24 hours."


class ReadingColumns(TypedDict):
    """The columns of an upload about its reading."""

    model_state: str
    model_asked_at: datetime | None
    model_error: str


@answer(state="ready", error=None)
class ModelReadingRow(TypedDict):
    """The reading of a file by a language model."""

    state: Annotated[str, one_of(STATES), "reading: wait and get it again; ready: its proposal is the model's; failed."]
    error: Annotated[str | None, "Why it failed; null where it did not."]


def require_reader(reader: str | None) -> None:
    """Raise ValidationFailed if the reader is the model and the operator has named none."""
    if reader == MODEL and settings.SYLLABUS_MODEL is None:
        raise ValidationFailed.of("reader", "This service has no model. Leave reader out, or send rules.")


def reading_of(kept: ReadingColumns) -> ModelReadingRow | None:
    """The state of the reading of an upload, or None if none was asked for."""
    state, error, asked_at = kept["model_state"], kept["model_error"], kept["model_asked_at"]
    if not state:
        return None
    if state == READING and (asked_at is None or asked_at <= timezone.now() - LONGEST):
        state, error = FAILED, _TOO_LATE
    return {"state": state, "error": error or None}


def is_over(kept: ReadingColumns) -> bool:
    """Return whether a reading may be asked for: there is none, or it failed."""
    found = reading_of(kept)
    return found is None or found["state"] == FAILED


def new_reading(access: Access, text: str | None) -> ReadingColumns:
    """The columns of a reading that is asked for now, which counts toward the member's rate unless it cannot begin.

    Raises:
        TooManyReadings: the member has asked for too many.
    """
    if not text or len(text) > MOST_CHARACTERS:
        return {"model_state": FAILED, "model_asked_at": timezone.now(), "model_error": _TOO_LONG if text else _NO_TEXT}
    window = hit(Rate.MODEL_READINGS, str(access.member.id))
    if window.exceeded:
        raise TooManyReadings(window.reset)
    return {"model_state": READING, "model_asked_at": timezone.now(), "model_error": ""}


def read(member_id: UUID, syllabus_id: UUID, asked_at: datetime) -> None:
    """Read an upload, unless it is too late or something about it has changed. Called in a thread of its own.

    No transaction and no statement is open while the model answers.
    """
    member, model = Member.objects.filter(id=member_id).first(), settings.SYLLABUS_MODEL
    if member is None:
        return
    access = Access(member)
    kept = _ASKED_FOR.first(access, syllabus_id=syllabus_id, asked_at=asked_at)
    if kept is None or model is None or timezone.now() - asked_at >= LONGEST:
        return
    course_id = kept["of_course"]
    course = None if course_id is None else _KNOWN.first(access, course_id=course_id)
    message = message_for(kept["text"] or "", today=access.today(), course=course)
    connection.close()  # it would stay open, unused, for as long as the model takes
    started = time.monotonic()
    found: Mapping[str, str] = {"model_state": FAILED, "model_error": _FAULT}
    try:
        found = {"model_state": READY, "model_answer": ask(model, message).stored()}
    except ModelError as error:
        logger.warning("A model did not read a syllabus: %s", error.reason)
        found = {"model_state": FAILED, "model_error": error.reason}
    finally:
        if timezone.now() - asked_at < LONGEST:
            _store(access, syllabus_id, asked_at, found)
        syllabus_read.send(read, outcome=found["model_state"], seconds=time.monotonic() - started)


def _store(access: Access, syllabus_id: UUID, asked_at: datetime, found: Mapping[str, str]) -> None:
    """Store the outcome, unless another reading was asked for or the upload is gone."""
    with suppress(NotFound), change(access, "read_syllabus"):
        rows = SyllabusFile.rows.of(access)
        kept = rows.get(NotFound, "model_state", "model_asked_at", "model_error", "model_answer", id=syllabus_id)
        if (kept["model_state"], kept["model_asked_at"]) == (READING, asked_at):
            rows.update(kept, found)


class _AskedFor(TypedDict):
    text: str | None
    of_course: UUID | None


_ASKED_FOR = MemberSelect(
    SyllabusFile.rows.declared.filter(
        id=Param("syllabus_id"), model_state=READING, model_asked_at=Param("asked_at")
    ).annotate(of_course=Coalesce("course_id", "compared_with_id")),
    _AskedFor,
)
_KNOWN = MemberSelect(Course.rows.declared.filter(id=Param("course_id")).order_by(), KnownCourse)

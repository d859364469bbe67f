"""One run of `readcalendars`: several hosts at once, one connection to each, and each calendar once.

A thread claims all due calendars of a host and reads them one by one. It holds no database connection while a school
answers. Calendars left when time is up wait for the next run.
"""

import logging
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Event, Lock
from uuid import UUID

from django.db import Error, connection
from django.utils import timezone

from accounts.models import Member
from planning.calendar.assigning import load_courses
from planning.models import SchoolCalendar
from planning.school_calendars.calendars import asked_of
from planning.school_calendars.fetching import ask
from planning.school_calendars.rows import OF_COURSES, is_over
from planning.school_calendars.schedule import claim, due_hosts, forget_due, postpone, release
from planning.school_calendars.taking import store
from studyservice.changes.calls import acting, command
from studyservice.operations.errors import NotFound
from studyservice.reading.process import ReadLater
from studyservice.rows.access import Access

logger = logging.getLogger(__name__)

NAME = "readcalendars"
HOSTS_AT_ONCE = 8
SECONDS = 14 * 60.0
"""Duration after which a run claims no more calendars. A run starts every quarter of an hour."""

LAPSED, ENDED, LATER, GONE, BROKEN = "lapsed", "ended", "later", "gone", "broken"
"""Outcomes in addition to those of `Reading`: the member has lapsed; all courses of the calendar have ended; this
machine was too busy; the calendar or its member was deleted; an internal error, which is logged.
"""

_ASKED = ("paused", "stopped", "sealed_address", "fingerprint", "etag", "last_modified", *OF_COURSES)


@dataclass(slots=True)
class Run:
    """One run.

    Attributes:
        seconds: the time limit; remaining calendars are left to the next run.
        done: number of calendars by outcome.
    """

    seconds: float = SECONDS
    done: Counter[str] = field(default_factory=Counter)
    stopped: Event = field(default_factory=Event)
    _counting: Lock = field(default_factory=Lock)
    _turn: Lock = field(default_factory=Lock)

    def read_all(self) -> None:
        """Read all due calendars.

        Raises:
            Exception: raised by a thread, after the others have finished their current calendar.
        """
        deadline = time.monotonic() + self.seconds
        hosts = iter(due_hosts(timezone.now()))
        with ThreadPoolExecutor(HOSTS_AT_ONCE, thread_name_prefix=NAME) as threads:
            taking = Lock()
            workers = [threads.submit(self._work, hosts, taking, deadline) for _ in range(HOSTS_AT_ONCE)]
        for worker in workers:
            worker.result()

    def _work(self, hosts: Iterator[str], taking: Lock, deadline: float) -> None:
        try:
            while time.monotonic() < deadline and not self.stopped.is_set():
                with taking:
                    host = next(hosts, None)
                if host is None:
                    return
                self._read_host(host, deadline)
        except BaseException:
            self.stopped.set()
            raise
        finally:
            connection.close()  # this thread's own

    def _read_host(self, host: str, deadline: float) -> None:
        left = claim(host, timezone.now())
        try:
            while left and time.monotonic() < deadline and not self.stopped.is_set():
                member_id, calendar_id = left[-1]
                outcome = self._outcome(member_id, calendar_id)
                left.pop()
                with self._counting:
                    self.done[outcome] += 1
        finally:
            release(left)

    def _outcome(self, member_id: UUID, calendar_id: UUID) -> str:
        """Read one calendar. An error in it does not affect others."""
        try:
            return self._read(member_id, calendar_id)
        except Error:  # of the database, which all need
            raise
        except Exception:
            logger.exception("The school calendar %s could not be read", calendar_id)
            postpone(member_id, calendar_id)
            return BROKEN

    def _read(self, member_id: UUID, calendar_id: UUID) -> str:
        """Read one calendar. Return the outcome."""
        member = Member.objects.filter(id=member_id, is_active=True).first()
        access = None if member is None else Access(member)
        calendar = None if access is None else SchoolCalendar.rows.of(access).find(*_ASKED, id=calendar_id)
        if access is None or calendar is None or calendar["paused"] or calendar["stopped"]:
            forget_due(member_id, calendar_id)  # an undo or an erasure was faster
            return GONE
        if not access.member.membership_is_active():
            postpone(member_id, calendar_id)
            return LAPSED
        if is_over(calendar, load_courses(access)):
            postpone(member_id, calendar_id)
            return ENDED
        try:
            outcome = ask(access, asked_of(calendar), turn=self._turn)
        except ReadLater:
            release([(member_id, calendar_id)])
            return LATER
        try:
            with acting(command(NAME)):
                found = store(access, calendar_id, outcome)
        except NotFound:  # the member was deleted meanwhile
            return GONE
        return GONE if found is None else found.value

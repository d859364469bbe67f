"""One run of `sendmornings`.

An e-mail is claimed before it is sent and bypasses the outbox: two runs at once, or a run that ends in the middle, send
none twice. Only one that the mail server certainly did not take is tried again, in the runs until the member's noon.
"""

import logging
import time
from collections import Counter
from contextlib import closing
from datetime import date
from enum import StrEnum
from smtplib import SMTPNotSupportedError, SMTPRecipientsRefused, SMTPResponseException

from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import connection
from django.utils import timezone

from accounts import mail
from accounts.members.mornings import claim, due, morning_in, off_link, put_off
from accounts.members.outbox import is_final
from accounts.models import Member
from planning.morning_email import morning_email
from studyservice.database.executing import batches
from studyservice.rows.access import Access

logger = logging.getLogger(__name__)

SECONDS = 14 * 60.0
"""Duration after which a run sends no more. A run starts every quarter of an hour."""

EACH_CONNECTION = 50
"""Number of e-mails after which the connection is renewed. Mail servers close those with too many."""

_ABOUT_THE_E_MAIL = (SMTPRecipientsRefused, SMTPResponseException, SMTPNotSupportedError)
"""Errors of one e-mail. After others of SMTP and the network the server counts as away."""


class Outcome(StrEnum):
    """The outcome of a member's e-mail.

    Attributes:
        NOTHING: nothing was due.
        PUT_OFF: the mail server could not be reached or answered 4yz (RFC 5321, 4.2.1).
        FAILED: the mail server refused it, or its answer is unknown; it is not tried again.
        BROKEN: an internal error, which is logged.
    """

    SENT = "sent"
    NOTHING = "nothing_to_tell"
    PUT_OFF = "put_off"
    FAILED = "failed"
    BROKEN = "broken"


class Run:
    """One run. `seconds` is its time limit; the rest is left to the next run."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._deadline = time.monotonic() + seconds
        self._done: Counter[Outcome] = Counter()
        self._is_away = False

    def send_all(self) -> Counter[Outcome]:
        """Send all that are due. Return the number of each outcome.

        Raises:
            Error: the database failed.
        """
        with closing(get_connection()) as server:
            for batch in batches(due(timezone.now())):
                for member in Member.objects.filter(id__in=batch):
                    if time.monotonic() > self._deadline:
                        return self._done
                    self._take(member, server)
        return self._done

    def _take(self, member: Member, server: BaseEmailBackend) -> None:
        """Send the member's e-mail. An error in it does not affect others."""
        day = morning_in(member.time_zone, timezone.now())
        if day is None:
            return
        try:
            outcome = self._outcome(member, day, server)
        except Exception:
            logger.exception("The morning e-mail of member %s failed", member.id)
            connection.close_if_unusable_or_obsolete()
            claim(member, day)  # fails too if the database does, which ends the run
            outcome = Outcome.BROKEN
        if outcome is not None:
            self._done[outcome] += 1

    def _outcome(self, member: Member, day: date, server: BaseEmailBackend) -> Outcome | None:
        """Send the e-mail of that day. None if another run did, or the member has changed meanwhile."""
        if self._is_away and member.morning_put_off and member.morning_sent_on == day:
            return Outcome.PUT_OFF
        content = morning_email(Access(member))
        if content is None:
            return Outcome.NOTHING if claim(member, day) else None
        link = off_link(member.id)
        message = mail.new_message(content.subject, content.text(link), [member.email], unsubscribe=link)
        if not self._reaches(server):
            return Outcome.PUT_OFF if claim(member, day, put_off=True) else None
        return self._send(message, member, day, server) if claim(member, day) else None

    def _reaches(self, server: BaseEmailBackend) -> bool:
        """Connect, unless that failed before in this run."""
        if not self._is_away:
            try:
                if self._done[Outcome.SENT] % EACH_CONNECTION == 0:
                    server.close()
                server.open()
            except Exception:  # any error of the mail server or the network
                logger.exception("The mail server cannot be reached")
                self._is_away = True
        return not self._is_away

    def _send(self, message: EmailMessage, member: Member, day: date, server: BaseEmailBackend) -> Outcome:
        failure = mail.try_to_send(message, server)
        if failure is None:
            return Outcome.SENT
        server.close()
        if _was_refused(failure) and not is_final(failure):
            put_off(member, day)
            return Outcome.PUT_OFF
        self._is_away = isinstance(failure, OSError) and not isinstance(failure, _ABOUT_THE_E_MAIL)
        return Outcome.FAILED


def _was_refused(failure: Exception) -> bool:
    """Return whether the mail server certainly did not take the e-mail: not so after an unreadable reply."""
    if isinstance(failure, SMTPRecipientsRefused):
        return True
    return isinstance(failure, SMTPResponseException) and failure.smtp_code // 100 in {4, 5}

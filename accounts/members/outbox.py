"""The outbox: announcements, reminders and invitations are stored until sent.

The caller stores an e-mail in the same transaction as its cause, and then sends it. `delivermail` retries e-mails that
failed or were interrupted, after five minutes, then less and less often, for four days. If the process ends after the
mail server accepted an e-mail but before the commit, it is sent twice, with the same `Message-ID`.
"""

import json
import logging
import re
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from smtplib import SMTPDataError, SMTPRecipientsRefused, SMTPSenderRefused
from typing import ClassVar
from uuid import UUID

from django.core.mail import get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import connection, models, transaction
from django.db.models import Min
from django.utils import timezone

from accounts import mail
from accounts.members.models import Member
from studyservice.database.constraints import at_least, characters, one_of
from studyservice.database.deleting import purge
from studyservice.database.executing import batches
from studyservice.database.ids import uuid7
from studyservice.secrets.sealing import Seal, Sealed

logger = logging.getLogger(__name__)


class MailKind(models.TextChoices):
    """The kinds of e-mail that are stored until sent. E-mails with codes are not stored."""

    ANNOUNCEMENT = "announcement"
    REMINDER = "reminder"
    INVITATION = "invitation"


class OutgoingMail(models.Model):
    """An e-mail to one address, which may belong to no member, so there is no foreign key.

    Its text is encrypted, since it may contain the link of an invitation.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    kind = models.CharField(max_length=12, choices=MailKind.choices)
    email = models.EmailField(db_index=True)
    content = models.TextField(help_text="Subject and text, encrypted. See accounts.members.outbox.")
    created_at = models.DateTimeField(default=timezone.now)
    attempts = models.PositiveSmallIntegerField(default=0)
    next_attempt_at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            one_of("kind", MailKind.values),
            characters("email", 1, 254),
            at_least("attempts", 0),
        ]

    def __str__(self) -> str:
        return f"{self.kind} to {self.email}"


_SEAL = Seal("accounts.outbox")
QUEUED_MAIL = Sealed(_SEAL, OutgoingMail, "content", owner="pk")

KEPT_FOR = timedelta(days=4)
"""After this an e-mail is dropped. Shorter than the lifetime of the links in it."""

FIRST_WAIT, LONGEST_WAIT = timedelta(minutes=5), timedelta(hours=6)
"""Pauses between attempts. The first is longer than any attempt, so that no e-mail is sent twice."""

_MESSAGE_ERRORS = (SMTPRecipientsRefused, SMTPSenderRefused, SMTPDataError)
"""SMTP errors that concern one e-mail, while the server accepts others."""


_CORRECTABLE = re.compile(r"5\.7\.|relay|authenti|verif", re.IGNORECASE)
"""Replies about policy (5.7; RFC 3463, 3.8), and common ones without such a code: a relay that asks for a password, a
sender that must be verified first.
"""


@dataclass(frozen=True, slots=True)
class Delivery:
    """An attempt: the address, the error if it failed, and whether that is final, so that it is not retried."""

    email: str
    failure: str | None
    final: bool = False


def store(kind: MailKind, subject: str, body: str, emails: Iterable[str]) -> list[UUID]:
    """Store an e-mail to each of these addresses, all or none. Return the ids of the rows."""
    content = _SEAL.seal(json.dumps([subject, body]))
    rows = [OutgoingMail(kind=kind, email=email, content=content) for email in emails]
    OutgoingMail.objects.bulk_create(rows, batch_size=500)
    return [row.id for row in rows]


def due(*kinds: MailKind) -> list[UUID]:
    """Return the ids of the e-mails due now, of some kinds or of all, the oldest first."""
    now = timezone.now()
    rows = OutgoingMail.objects.filter(next_attempt_at__lte=now, created_at__gt=now - KEPT_FOR)
    return list(rows.filter(kind__in=kinds or MailKind.values).order_by("id").values_list("id", flat=True))


def deliver(ids: Iterable[UUID]) -> Iterator[Delivery]:
    """Send those that are due, one after another. Call outside any transaction.

    Stops when the mail server cannot be reached, so that the others keep their next attempt.
    """
    with closing(get_connection()) as server:
        for mail_id in ids:
            row = _claim(mail_id)
            if row is None:
                continue
            failure = _send(row, server)
            yield Delivery(row.email, None if failure is None else str(failure), is_final(failure))
            if isinstance(failure, OSError) and not isinstance(failure, _MESSAGE_ERRORS):
                return


def waiting(ids: Iterable[UUID]) -> int:
    """Return how many of these e-mails still wait. E-mails to deleted members are dropped."""
    return sum(OutgoingMail.objects.filter(id__in=batch).count() for batch in batches(ids))


def deliver_soon(ids: Iterable[UUID]) -> None:
    """Send these after the commit, from a thread for e-mails."""
    transaction.on_commit(partial(mail.do_soon, partial(_deliver_in_thread, list(ids))))


def forget(email: str, *kinds: MailKind) -> None:
    """Delete unsent e-mails to this address, of some kinds or of all."""
    OutgoingMail.objects.filter(email=email, kind__in=kinds or MailKind.values).delete()


def move(old: str, new: str) -> None:
    """Redirect unsent e-mails from a member's old address to the new one."""
    OutgoingMail.objects.filter(email=old).update(email=new)


def queue_age() -> float:
    """Return the seconds since the oldest e-mail was stored; 0 if there is none."""
    oldest = OutgoingMail.objects.aggregate(oldest=Min("created_at"))["oldest"]
    return 0 if oldest is None else (timezone.now() - oldest).total_seconds()


def purge_outbox() -> int:
    """Delete e-mails that could not be sent for `KEPT_FOR`."""
    given_up = purge(OutgoingMail.objects.filter(created_at__lte=timezone.now() - KEPT_FOR), owner=None)
    if given_up:
        logger.error("Dropped %s e-mails that could not be sent for %s days", given_up, KEPT_FOR.days)
    return given_up


def _deliver_in_thread(ids: list[UUID]) -> None:
    try:
        for _ in deliver(ids):
            pass  # failures were logged
    finally:
        connection.close()  # the thread's own connection, which it seldom needs


def _claim(mail_id: UUID) -> OutgoingMail | None:
    """Claim an attempt. None if another process has it, the e-mail was sent, or its member is gone."""
    now = timezone.now()
    due = OutgoingMail.objects.filter(id=mail_id, next_attempt_at__lte=now)
    row = due.first()
    if row is None:
        return None
    waits = min(FIRST_WAIT * 2**row.attempts, LONGEST_WAIT)
    claimed = due.filter(attempts=row.attempts).update(attempts=row.attempts + 1, next_attempt_at=now + waits)
    if not claimed:
        return None
    if row.kind != MailKind.INVITATION and not Member.objects.at(row.email).filter(is_active=True).exists():
        row.delete()  # a deletion of the member misses a row that is stored at the same time
        return None
    return row


def _send(row: OutgoingMail, server: BaseEmailBackend) -> Exception | None:
    """Send it and delete its row. Return the error if it could not be sent. One of a lost key waits: it may be back."""
    content = _SEAL.unseal(row.content)
    if content is None:
        logger.error("A stored e-mail waits: it was encrypted under another SECRET_KEY")
        return ValueError("It was encrypted under another SECRET_KEY and waits for it.")
    subject, body = json.loads(content)
    message = mail.new_message(subject, body, [row.email], message_id=f"<{row.id}@{mail.domain()}>")
    failure = mail.try_to_send(message, server)
    if is_final(failure):
        logger.error("A stored e-mail was dropped: the mail server refuses its address or content for good")
    if failure is None or is_final(failure):
        row.delete()
    return failure


def is_final(failure: Exception | None) -> bool:
    """Return whether the mail server refused the address or the content permanently (5yz; RFC 5321, 4.2.1).

    A refused sender is the operator's mistake, and so are most reasons in `_CORRECTABLE`: the e-mail waits until it is
    corrected.
    """
    replies: list[tuple[int, bytes | str]] = []
    if isinstance(failure, SMTPRecipientsRefused):
        replies += failure.recipients.values()
    elif isinstance(failure, SMTPDataError):
        replies.append((failure.smtp_code, failure.smtp_error))
    return bool(replies) and all(code // 100 == 5 and not _CORRECTABLE.search(str(text)) for code, text in replies)

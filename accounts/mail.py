"""E-mails: their headers, notices of account changes, and sending in threads after the response.

So response times do not reveal whether there was a recipient, and a slow or unreachable mail server fails no page. A
failed e-mail is logged without its content, and not retried. E-mails that must arrive are stored first
(`accounts.members.outbox`).
"""

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from email.utils import make_msgid
from functools import cache, partial
from ipaddress import ip_address
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage, EmailMultiAlternatives
from django.core.mail.backends.base import BaseEmailBackend
from django.template.loader import render_to_string
from django.utils.encoding import punycode

from studyservice.server.signals import mail_ended

logger = logging.getLogger(__name__)

MAX_WAITING = 1000
"""Maximum number of e-mails that wait in one process. Further ones are dropped and logged."""

_waiting: set[Future[None]] = set()


def new_message(
    subject: str,
    body: str,
    to: Sequence[str],
    *,
    html: str | None = None,
    message_id: str | None = None,
    unsubscribe: str | None = None,
) -> EmailMultiAlternatives:
    """Create an e-mail. Without `message_id` it gets a new one on the service's domain.

    Args:
        html: the HTML version of `body`.
        unsubscribe: an address at which one POST ends such e-mails (RFC 8058).
    """
    headers = {"Message-ID": message_id or make_msgid(domain=domain())}
    if unsubscribe is not None:
        headers |= {"List-Unsubscribe": f"<{unsubscribe}>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"}
    message = EmailMultiAlternatives(subject, body, to=to, headers=headers)
    if html is not None:
        message.attach_alternative(html, "text/html")
    return message


def domain() -> str:
    """Return the host of `BASE_URL` for a `Message-ID` (RFC 5322, 3.6.4). An IP address is in brackets.

    The default would be the machine's name, which a container invents at each start.
    """
    host = urlsplit(settings.BASE_URL).hostname or ""
    try:
        ip_address(host)
    except ValueError:
        return punycode(host)
    return f"[{host}]"


def post(message: EmailMessage) -> None:
    """Send `message` soon. One without recipients takes the same work and is not sent."""
    do_soon(partial(try_to_send, message))


def notify(email: str, subject: str, what: str) -> None:
    """E-mail a notice of one or two sentences about a change of the account, so that nobody takes it over unnoticed."""
    context = {"what": what, "account_url": f"{settings.BASE_URL}/account"}
    post(new_message(subject, render_to_string("accounts/email/notice.txt", context), [email]))


def do_soon(task: Callable[[], object]) -> None:
    """Run `task` in a thread for e-mails."""
    if len(_waiting) >= MAX_WAITING:
        mail_ended.send(post, outcome="dropped")
        logger.error("An e-mail was dropped: %s are waiting for the mail server", MAX_WAITING)
        return
    future = _threads().submit(copy_context().run, _run, task)
    _waiting.add(future)
    future.add_done_callback(_waiting.discard)


def drain() -> None:
    """Wait until every queued e-mail was sent or failed."""
    wait(set(_waiting))


def _run(task: Callable[[], object]) -> None:
    try:
        task()
    except Exception:  # no caller is left to handle the error
        logger.exception("A thread for e-mails failed")


@cache
def _threads() -> ThreadPoolExecutor:
    """Create two threads, so that one slow delivery does not block all. Python ends them after the last e-mail."""
    return ThreadPoolExecutor(2, thread_name_prefix="mail")


def try_to_send(message: EmailMessage, server: BaseEmailBackend | None = None) -> Exception | None:
    """Send now. Return and log the error if it fails.

    Args:
        server: a connection to the mail server. It is opened and stays open for the next.
    """
    try:
        if server is not None:
            server.open()
            message.connection = server
        message.send()
        mail_ended.send(post, outcome="sent")
    # any error of the mail server or the network; the caller may have nobody to report it to
    except Exception as error:
        mail_ended.send(post, outcome="failed")
        logger.exception("An e-mail could not be sent")
        return error
    return None

"""E-mails that nobody waits for: they leave after the answer, from threads of their own.

So the time of an answer does not tell whether there was somebody to write to, and a mail server that is slow or gone
fails no page. A mail that could not be sent is logged, without its content, and not tried again.
"""

import logging
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from functools import cache

from django.core.mail import EmailMessage

from studyservice.server.happenings import mail_ended

logger = logging.getLogger(__name__)

MAX_WAITING = 1000
"""E-mails of one process that may wait; beyond it new ones are dropped and logged."""

_waiting: set[Future[None]] = set()


def post(message: EmailMessage) -> None:
    """Send `message` soon; one without recipients takes the same way and is sent to nobody."""
    if len(_waiting) >= MAX_WAITING:
        mail_ended.send(post, outcome="dropped")
        logger.error("An e-mail was dropped: %s are waiting for the mail server", MAX_WAITING)
        return
    future = _threads().submit(copy_context().run, _send, message)
    _waiting.add(future)
    future.add_done_callback(_waiting.discard)


def drain() -> None:
    """Wait until every e-mail posted so far has left or failed."""
    wait(set(_waiting))


@cache
def _threads() -> ThreadPoolExecutor:
    """Two, so that one slow delivery does not hold up all; Python ends them after the last e-mail."""
    return ThreadPoolExecutor(2, thread_name_prefix="mail")


def _send(message: EmailMessage) -> None:
    try:
        message.send()
        mail_ended.send(post, outcome="sent")
    except Exception:  # of the mail server or on the way; nobody waits for it who could be told
        mail_ended.send(post, outcome="failed")
        logger.exception("An e-mail could not be sent")

"""A school's server with a calendar that a test changes, over `tests.support.internet`."""

import ssl
from hashlib import sha256

from tests.support.calendar_files import CANVAS, calendar, deadline
from tests.support.internet import PUBLIC, Answer, Internet, answer

HOST = "canvas.school.example"
SECRET = "user_K2vZ8qW0rMx4Tb7"  # must not appear in a log or an answer
URL = f"https://{HOST}/feeds/calendars/{SECRET}.ics"


def labelled(uid: str, day: str, title: str, label: str = "") -> str:
    """A deadline as Canvas writes it."""
    return deadline(uid, day, f"{title} [{label}]" if label else title)


def essay(day: str = "20261203", title: str = "Essay 1", label: str = "Biology", uid: str = "a") -> str:
    """A deadline of the course "Biology"."""
    return labelled(uid, day, title, label)


def many(number: int, *, first: int = 0, day: str = "20261203", label: str = "Biology") -> list[str]:
    """Deadlines of quizzes."""
    return [labelled(f"n{one}", day, f"Quiz {one}", label) for one in range(first, first + number)]


class School:
    """Serves a calendar with its version, and 304 to clients that have this version.

    Attributes:
        written: text to send in place of the calendar.
        gets: number of requests.
        unchanged: number of 304 answers.
    """

    def __init__(self, internet: Internet, host: str = HOST, address: str = PUBLIC) -> None:
        self.file = calendar(CANVAS)
        self.written: Answer | None = None
        self.gets = self.unchanged = 0
        internet.serve(host, self._write, address)

    def has(self, *events: str, prodid: str = CANVAS) -> "School":
        """Set the events of the calendar."""
        self.file, self.written = calendar(prodid, *events), None
        return self

    def sends(self, body: bytes = b"", *, status: str = "200 OK", **headers: str) -> "School":
        """Send this answer in place of the calendar."""
        self.written = answer(body, status=status, **headers)
        return self

    def _write(self, head: str, connection: ssl.SSLSocket) -> None:
        self.gets += 1
        if self.written is not None:
            self.written(head, connection)
            return
        tag = f'"{sha256(self.file).hexdigest()[:16]}"'
        if f"If-None-Match: {tag}" in head:
            self.unchanged += 1
            answer(status="304 Not Modified", Content_Length="", ETag=tag)(head, connection)
        else:
            answer(self.file, Content_Type="text/calendar", ETag=tag)(head, connection)

"""The schools of the drill `school calendars`: which calendar is at which host, and a server for all hosts."""

import asyncio
import ssl
from collections import Counter
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from threading import Event, Thread

from tests.support.calendar_files import CANVAS, calendar, deadline
from tests.support.internet import certificate

MEMBERS = 5000
EACH = 5
"""Calendars of each member."""

EVENTS = 60
FIRST_DAY = date(2030, 1, 1)
"""Due date of the first event; each further one is due a day later."""

ETAG = '"0"'
"""The version that the database has, at schools that send versions."""

DUE = range(0, MEMBERS * EACH, 24)
"""Due calendars: a run starts every quarter of an hour, and each calendar is read every six hours."""

_SILENT, _FAULTY = ("silent0.school.example", "silent1.school.example"), "faulty.school.example"
_OTHERS = 47
_THINKS_SECONDS = 0.1
_SILENT_SECONDS = 5.0
"""How long a connection to a silent host counts as open. The client waits for ten seconds."""


def host_of(number: int) -> str:
    """Return the host of a calendar. Each silent host has 6 of the due calendars, the others have 19 to 22."""
    place = number // DUE.step
    if place % 200 < len(_SILENT):
        return _SILENT[place % 200]
    return _FAULTY if place % 50 == len(_SILENT) else f"host{place % _OTHERS}.school.example"


def answers(number: int) -> bool:
    """Return whether the host of a calendar answers properly."""
    return host_of(number) not in {*_SILENT, _FAULTY}


def changes(number: int) -> bool:
    """Return whether a due calendar changes with each version: one of five that are answered."""
    return number // DUE.step % 5 == 4 and answers(number)


def sends_etag(number: int) -> bool:
    """Return whether the host sends a version, and 304 to clients that have it. Otherwise only the contents tell."""
    return number // DUE.step % 2 == 0


def moved_to(version: int) -> date:
    """Return the new date of the event that is moved in a version."""
    return FIRST_DAY + timedelta(days=365 * version)


def body(version: int = 0) -> bytes:
    """Return a calendar, with the time of writing. Later versions differ in the date of the first event."""
    days = [moved_to(version), *(FIRST_DAY + timedelta(days=place) for place in range(1, EVENTS))]
    events = (deadline(f"Assignment-{place}", f"{day:%Y%m%d}", f"Assignment {place}") for place, day in enumerate(days))
    return calendar(CANVAS, *events).replace(b"20261101T080000Z", f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}".encode())


class Schools:
    """The server. `with Schools(directory) as schools:` listens on `schools.port` of loopback.

    Attributes:
        version: of the calendars that change.
        asked: requests by the number of the calendar.
        most: maximum number of concurrent connections, by host.
        most_together: the same for all hosts together.
    """

    def __init__(self, directory: Path) -> None:
        self.port, self.version = 0, 1
        self.forget()
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(certificate(directory, "*.school.example"))
        self._loop = asyncio.new_event_loop()
        self._listening = Event()
        self._thread = Thread(target=self._loop.run_until_complete, args=[self._serve()], daemon=True)

    def forget(self) -> None:
        """Start counting again."""
        self.asked: Counter[int] = Counter()
        self.open: Counter[str] = Counter()
        self.most: Counter[str] = Counter()
        self.most_together = 0

    def __enter__(self) -> "Schools":
        self._thread.start()
        self._listening.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._ended.set)
        self._thread.join()

    async def _serve(self) -> None:
        self._ended = asyncio.Event()
        async with await asyncio.start_server(self._handle, "127.0.0.1", ssl=self._context) as server:
            self.port = server.sockets[0].getsockname()[1]
            self._listening.set()
            await self._ended.wait()

    async def _handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            number = int(head.split()[1].removeprefix("/").removesuffix(".ics"))
            host = host_of(number)
            self.asked[number] += 1
            self.open[host] += 1
            self.most[host] = max(self.most[host], self.open[host])
            self.most_together = max(self.most_together, self.open.total())
            # It counts as closed before the client can know, so that only real overlaps count.
            await asyncio.sleep(_SILENT_SECONDS if host in _SILENT else _THINKS_SECONDS)
            self.open[host] -= 1
            if host in _SILENT:
                await reader.read()
            else:
                writer.write(self._answer(number, head))
                await writer.drain()
        writer.close()

    def _answer(self, number: int, head: str) -> bytes:
        if host_of(number) == _FAULTY:
            return b"HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n"
        version = self.version if changes(number) else 0
        etag = f'ETag: "{version}"\r\n' if sends_etag(number) else ""
        if etag and f'If-None-Match: "{version}"' in head:
            return f"HTTP/1.1 304 Not Modified\r\n{etag}\r\n".encode()
        contents = body(version)
        return f"HTTP/1.1 200 OK\r\n{etag}Content-Length: {len(contents)}\r\n\r\n".encode() + contents

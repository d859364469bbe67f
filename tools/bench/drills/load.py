"""Clients that write continuously and record the answer to each write.

Each write has a number, which its rows contain: an item in its title, a deck in its name, a review in its duration. A
deck and its cards, or a review with its attempt and its card, are rows of one transaction.
"""

import threading
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count, cycle
from math import inf
from typing import Self

from tools.bench.cast import Subject
from tools.bench.drills.client import Client, ClosedError, ImproperAnswerError
from tools.bench.servers import wait_until

THREADS = 6
CARDS_EACH = 5
"""Number of cards in a deck of the load."""

_PAUSE_SECONDS = 0.05
"""Pause after a failure, so that a dead server does not get thousands of requests a second."""


@dataclass(slots=True)
class Journal:
    """The answers that clients received.

    Attributes:
        acknowledged: numbers of the writes answered with 201.
        refused: those answered with 4xx, which must not be stored.
        unknown: those answered with 5xx or not at all, which may or may not be stored.
        errors: errors by kind.
        improper: answers that no client should see.
        succeeded_at: times of successes, by the monotonic clock.
        replayed: acknowledged writes that an earlier, unanswered attempt had performed.
    """

    acknowledged: set[int] = field(default_factory=set)
    refused: set[int] = field(default_factory=set)
    unknown: set[int] = field(default_factory=set)
    errors: Counter[str] = field(default_factory=Counter)
    improper: list[str] = field(default_factory=list)
    succeeded_at: list[float] = field(default_factory=list)
    failed_at: list[float] = field(default_factory=list)
    replayed: int = 0

    def recovered(self, since: float) -> float:
        """Return the seconds from `since` until writes stopped failing; 0 if none failed after it."""
        failed = [moment for moment in self.failed_at if moment >= since]
        if not failed:
            return 0.0
        successes = sorted(self.succeeded_at)
        after = bisect_left(successes, max(failed))
        return successes[after] - since if after < len(successes) else inf


class Load:
    """`with Load(port, subjects) as load:` writes until the end of the block. Then `load.journal` is complete.

    Args:
        retrying: send each write with an `Idempotency-Key`, and repeat it until it is acknowledged or refused.
        first: the number of the first write, greater than those of earlier loads of the same database.
    """

    def __init__(self, port: int, subjects: Sequence[Subject], *, retrying: bool = False, first: int = 1) -> None:
        self.journal = Journal()
        self._retrying = retrying
        self._port = port
        self._numbers = count(first)
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._succeeding_since = [-inf] * THREADS  # when the last write of each client was sent; -inf if it failed
        self._threads = [
            threading.Thread(target=self._write, args=(number, subjects[number::THREADS]), daemon=True)
            for number in range(THREADS)
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Stop after every client's current write."""
        self._stopped.set()
        for thread in self._threads:
            thread.join(60)

    def goes_on(self, since: float) -> None:
        """Wait until each client's last write was sent after `since` and has succeeded."""
        wait_until("writes of every client that succeed", lambda: min(self._succeeding_since) > since)

    def acknowledged(self) -> set[int]:
        """Return the writes acknowledged so far."""
        with self._lock:
            return set(self.journal.acknowledged)

    def _write(self, thread: int, subjects: Sequence[Subject]) -> None:
        client = Client(self._port)
        for subject in cycle(subjects):
            if self._stopped.is_set():
                return
            number = next(self._numbers)
            while self._is_unknown(client, subject, number, thread) and self._retrying:
                pass  # repeat the same write, even after the end, until its result is known

    def _is_unknown(self, client: Client, subject: Subject, number: int, thread: int) -> bool:
        """Send write `number`. Return whether its result is unknown."""
        journal, sent_at = self.journal, time.monotonic()
        path, body = _write_of(number, subject)
        key = f"drill-{number}" if self._retrying else ""
        try:
            answer = client.call("POST", path, body, key=subject.key, idempotency_key=key)
        except ClosedError:
            told, error = journal.unknown, "closed connection"
        except ImproperAnswerError as improper:
            told, error = journal.unknown, "improper"
            with self._lock:
                journal.improper.append(str(improper))
        else:
            if answer.ok:
                with self._lock:
                    journal.acknowledged.add(number)
                    journal.unknown.discard(number)
                    journal.succeeded_at.append(time.monotonic())
                    self._succeeding_since[thread] = sent_at
                    journal.replayed += answer.replayed
                return False
            told, error = (journal.unknown if answer.status >= 500 else journal.refused), answer.fault
        with self._lock:
            told.add(number)
            journal.errors[error] += 1
            journal.failed_at.append(time.monotonic())
            self._succeeding_since[thread] = -inf
        self._stopped.wait(_PAUSE_SECONDS)
        return told is journal.unknown


def _write_of(number: int, subject: Subject) -> tuple[str, object]:
    """Return path and body of write `number`."""
    if number % 3 == 0:
        return f"/v1/courses/{subject.courses[0]}/items", {"title": f"drill {number}", "kind": "quiz"}
    if number % 3 == 1:
        cards = [{"term": f"term {place}", "definition": "what it means"} for place in range(CARDS_EACH)]
        return "/v1/vocab-decks", {"name": f"drill {number}", "cards": cards}
    card = subject.cards[number % len(subject.cards)]
    return f"/v1/vocab-cards/{card}/reviews", {"rating": "good", "duration_ms": number}

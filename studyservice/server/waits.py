"""What a connection in the queue waits for."""

from dataclasses import dataclass
from enum import Enum, auto

from studyservice.server.body_end import BodyEnd
from studyservice.server.pace import Pace


class Stage(Enum):
    """What a connection waits for."""

    HEAD = auto()
    BODY = auto()
    ANSWER = auto()
    LINGER = auto()


@dataclass(slots=True)
class Wait:
    """A wait, and what it has come to.

    Attributes:
        until: the monotonic time at which it is over.
        pace: how fast the client sends, or reads.
        body_end: whether the body has come.
        kept: whether the connection may be used again.
        already: bytes delivered before, or discarded since.
    """

    stage: Stage
    until: float
    pace: Pace | None = None
    body_end: BodyEnd | None = None
    kept: bool = False
    already: int = 0

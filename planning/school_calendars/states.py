"""The states of a school calendar in answers."""

from enum import StrEnum


class State(StrEnum):
    """Whether a calendar is read, and what it waits for."""

    OK = "ok"
    UNASSIGNED = "unassigned"
    HELD = "held"
    FAILING = "failing"
    STOPPED = "stopped"

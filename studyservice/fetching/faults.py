"""The reasons why a fetch fails."""

from enum import StrEnum


class Fault(StrEnum):
    """A reason in one word, for programs."""

    ADDRESS_INVALID = "address_invalid"
    ADDRESS_NOT_PUBLIC = "address_not_public"
    UNREACHABLE = "unreachable"
    TIMED_OUT = "timed_out"
    STATUS = "status"
    REDIRECTED = "redirected"
    ENCODED = "encoded"
    TOO_LARGE = "too_large"


class FetchError(Exception):
    """The fetch failed.

    Attributes:
        fault: the reason.
        status: the HTTP status, if that is the reason.
        unknown_host: whether it is unreachable because no host has this name.
    """

    def __init__(self, fault: Fault, text: str, status: int | None = None, *, unknown_host: bool = False) -> None:
        super().__init__(text)
        self.fault, self.status, self.unknown_host = fault, status, unknown_host

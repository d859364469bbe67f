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
    """

    def __init__(self, fault: Fault, text: str, status: int | None = None) -> None:
        super().__init__(text)
        self.fault, self.status = fault, status

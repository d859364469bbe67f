"""Errors of calls for data that the member hides from the credential. Another scope does not help."""

from django.conf import settings

from studyservice.operations.errors import InsufficientScope

_PART = (
    "This credential sees a part of the member's data, and this is about all of it. "
    "The member can change what it sees at {base}/keys."
)


class GradesHidden(InsufficientScope):
    """The call is about grades, which the member hides from the credential."""

    cause = "grades_hidden"
    default_message = "The member keeps grades to themself."


class PartHidden(InsufficientScope):
    """The call is about more of the member's data than the credential sees."""

    cause = "part_hidden"

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or _PART.format(base=settings.BASE_URL))

"""The text of a failed call, written so that an assistant can act on it."""

from django.conf import settings

from accounts.credentials.limits import GradesHidden, PartHidden
from mcpbridge.sources import sources_of
from mcpbridge.tools import tools
from studyservice.http.logs import current_request_id
from studyservice.operations.errors import (
    MAX_DETAILS,
    ApiError,
    InsufficientScope,
    MembershipRequired,
    ValidationFailed,
)

_ADVICE: dict[type[ApiError], str] = {
    InsufficientScope: (
        "Tell the member: connect this app again and allow editing, or use an API key that may write. "
        "Tools that only read still work."
    ),
    GradesHidden: "Tell the member: they can change what this app or key sees with Change at {base}/keys.",
    PartHidden: "Tell the member. Do not try again.",
    MembershipRequired: "Tell the member. Do not try again before the membership is renewed; get_me works meanwhile.",
}


def failure_text(error: ApiError) -> str:
    """Return the error's type and message, each wrong field, the tools that list valid ids, and the request id."""
    lines = [f"{error.type}: {_message(error)}"]
    lines += [f"- {detail['field']}: {detail['message']}" for detail in error.details or []]
    lines += _sources(error)
    if "Retry-After" in error.headers:
        lines.append(f"Wait {error.headers['Retry-After']} s before you try again.")
    if type(error) in _ADVICE:
        lines.append(_ADVICE[type(error)].format(base=settings.BASE_URL))
    lines.append(f"Request id: {current_request_id()}")
    return "\n".join(lines)


def _message(error: ApiError) -> str:
    """Return the error's message, or other words if it refers to REST's `details`, which follow here as lines."""
    if not isinstance(error, ValidationFailed):
        return error.message
    return (
        f"Some arguments are not valid; the first {MAX_DETAILS}:" if error.is_cut else "Some arguments are not valid:"
    )


def _sources(error: ApiError) -> list[str]:
    """Name the tools that list valid ids, unless the message names a tool, as it does if the id is known."""
    found = []
    sources = sources_of(tools())
    for detail in error.details or []:
        source = sources.get(detail["field"])
        if source is not None and not any(name in detail["message"] for name in tools()):
            found.append(f"Call {source} for a valid {detail['field']}.")
    return found

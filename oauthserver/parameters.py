"""Parse the parameters of a request strictly: each at most once, in UTF-8, without a NUL.

An empty parameter counts as omitted, an unknown one is ignored (RFC 6749 sections 3.1 and 3.2).
"""

from urllib.parse import parse_qsl

from django.http import HttpRequest

from oauthserver.errors import InvalidRequest
from studyservice.http.bodies import read_raw

FORM_TYPE = "application/x-www-form-urlencoded"

REPEATABLE = "resource"
"""The only parameter that may be repeated (RFC 8707 section 2)."""


class Parameters:
    """The parameters of one request."""

    def __init__(self, encoded: str) -> None:
        """Decode `encoded`.

        Raises:
            InvalidRequest: it is not UTF-8, has too many parameters, repeats one, or contains a NUL.
        """
        try:
            pairs = parse_qsl(encoded, errors="strict", max_num_fields=100)
        except ValueError:
            raise InvalidRequest("The parameters are not form-encoded UTF-8, or too many.") from None
        self.resources = [value for name, value in pairs if name == REPEATABLE]
        self._values: dict[str, str] = {}
        for name, value in pairs:
            if "\0" in value:
                raise InvalidRequest("A parameter holds a NUL.")
            if name in self._values and name != REPEATABLE:
                raise InvalidRequest("A parameter is repeated.")
            self._values[name] = value

    def get(self, name: str) -> str | None:
        """Return the value of `name`, or None."""
        return self._values.get(name)

    def require(self, name: str) -> str:
        """Return the value of `name`.

        Raises:
            InvalidRequest: it is missing.
        """
        value = self._values.get(name)
        if value is None:
            raise InvalidRequest(f"The parameter {name} is missing.")
        return value


def query_parameters(request: HttpRequest) -> Parameters:
    """Return the parameters in the URL of `request`.

    Raises:
        InvalidRequest: they are malformed.
    """
    return Parameters(request.META.get("QUERY_STRING", ""))


def form_parameters(request: HttpRequest) -> Parameters:
    """Return the parameters in the body of `request` (RFC 6749 section 3.2, appendix B).

    Raises:
        InvalidRequest: the body is not form-encoded, or is malformed.
        studyservice.operations.errors.InvalidRequest: it is too large.
    """
    raw = read_raw(request)
    if request.content_type != FORM_TYPE:
        raise InvalidRequest(f"Send the parameters as a form, with the header Content-Type: {FORM_TYPE}.")
    try:
        encoded = raw.decode()
    except UnicodeDecodeError:
        raise InvalidRequest("The body is not form-encoded.") from None
    return Parameters(encoded)

"""Parse the parameters of a request strictly: each at most once, in UTF-8, without a NUL.

An empty parameter counts as omitted, an unknown one is ignored (RFC 6749 sections 3.1 and 3.2).
"""

from urllib.parse import parse_qsl, urlencode

from django.http import HttpRequest, QueryDict
from oauthlib.oauth2.rfc6749.errors import InvalidRequestError

from studyservice.http.bodies import read_raw

FORM_TYPE = "application/x-www-form-urlencoded"

REPEATABLE = "resource"
"""The only parameter that may be repeated (RFC 8707 section 2)."""


class Parameters(dict[str, str]):
    """The parameters of one request.

    Attributes:
        resources: the values of `resource`.
    """

    def __init__(self, encoded: str) -> None:
        """Decode `encoded`.

        Raises:
            InvalidRequestError: it is not UTF-8, has too many parameters, repeats one, or contains a NUL.
        """
        try:
            pairs = parse_qsl(encoded, errors="strict", max_num_fields=100)
        except ValueError:
            raise InvalidRequestError("The parameters are not form-encoded UTF-8, or too many.") from None
        self.resources = tuple(value for name, value in pairs if name == REPEATABLE)
        single = [(name, value) for name, value in pairs if name != REPEATABLE]
        super().__init__(single)
        if any("\0" in value for _, value in pairs):
            raise InvalidRequestError("A parameter holds a NUL.")
        if len(single) != len(self):
            raise InvalidRequestError("A parameter is repeated.")

    def require(self, name: str) -> str:
        """Return the value of `name`.

        Raises:
            InvalidRequestError: it is missing.
        """
        if name not in self:
            raise InvalidRequestError(f"The parameter {name} is missing.")
        return self[name]

    def only(self, *names: str, **ours: str) -> HttpRequest:
        """Return a request with the parameters `names` and `ours`, for django-oauth-toolkit.

        It never sees the client's own request, so no other parameter, header or query reaches it or oauthlib.
        """
        request = HttpRequest()
        request.method = "POST"
        request.POST = QueryDict(urlencode({name: self[name] for name in names if name in self} | ours))
        return request


def form_parameters(request: HttpRequest) -> Parameters:
    """Return the parameters in the body of `request` (RFC 6749 section 3.2, appendix B).

    Raises:
        InvalidRequestError: the body is not form-encoded, or is malformed.
        studyservice.operations.errors.InvalidRequest: it is too large.
    """
    raw = read_raw(request)
    if request.content_type != FORM_TYPE:
        raise InvalidRequestError(f"Send the parameters as a form, with the header Content-Type: {FORM_TYPE}.")
    try:
        encoded = raw.decode()
    except UnicodeDecodeError:
        raise InvalidRequestError("The body is not form-encoded.") from None
    return Parameters(encoded)

"""A client that connects from outside, only over HTTP, with MCP authorization like an assistant, and a browser.

`checkconnection` runs its steps.
"""

import base64
import hashlib
import re
import secrets
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs, urlencode, urljoin, urlsplit

import httpx2

from studyservice.http.requests import MCP_ROOT
from studyservice.installation.findings import Failed, Step
from studyservice.installation.network import TIMEOUT
from studyservice.operations.declaration import Scope

_CALLBACK = "http://127.0.0.1/callback"
"""The redirect URI. The redirect is not followed."""

_FORM_TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')
_PROXY = "Check that the proxy forwards this path unchanged, with its headers"
_LIST_TOOLS = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
_MCP_HEADERS = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}


@dataclass(frozen=True, slots=True)
class Throwaway:
    """Names of a temporary member and of the app that connects for it, which nothing else uses."""

    email: str
    password: str
    app_name: str


@contextmanager
def connecting(url: str, made: Throwaway) -> Iterator[Iterator[Step]]:
    """Yield the steps of a client that connects to `url`. Each needs the ones before."""
    with httpx2.Client(
        verify=ssl.create_default_context(), timeout=TIMEOUT, headers={"User-Agent": "checkconnection"}
    ) as http:
        yield _Connecting(url, made, http).steps()


class _Connecting:
    """A client that is connecting. Each step stores what the next ones need."""

    def __init__(self, url: str, made: Throwaway, http: httpx2.Client) -> None:
        self._url = url
        self._resource = f"{url}{MCP_ROOT}"
        self._made = made
        self._http = http
        self._endpoints: dict[str, str] = {}
        self._verifier = secrets.token_urlsafe(48)
        self._client_id = self._consent_page = self._code = self._access_token = ""

    def steps(self) -> Iterator[Step]:
        """Yield the steps in order."""
        yield "metadata", self._read_metadata
        yield "401 challenge", self._read_challenge
        yield "registration", self._register
        yield "sign-in", self._sign_in
        yield "consent", self._consent
        yield "token", self._exchange
        yield "tools/list", self._list_tools

    def _read_metadata(self) -> str:
        """Check that both documents name the URL they were read from (RFC 9728 section 3.3, RFC 8414 section 3.3)."""
        resource = self._document(f"/.well-known/oauth-protected-resource{MCP_ROOT}")
        server = self._document("/.well-known/oauth-authorization-server")
        for named, address in ((resource.get("resource"), self._resource), (server.get("issuer"), self._url)):
            if named != address:
                raise Failed(
                    f"The document read from {self._url} names {named!r}, so clients discard it.",
                    f"Set BASE_URL to {self._url}, or check the address that BASE_URL names.",
                )
        if self._url not in resource.get("authorization_servers", ()):
            raise Failed(f"{self._url} is not among the authorization_servers.", f"Set BASE_URL to {self._url}.")
        names = ("authorization_endpoint", "token_endpoint", "registration_endpoint")
        self._endpoints = {name: str(server.get(name)) for name in names}
        astray = [name for name, address in self._endpoints.items() if not address.startswith(f"{self._url}/")]
        if astray:
            raise Failed(f"{', '.join(astray)} point elsewhere.", f"Set BASE_URL to {self._url}.")
        return "both documents name this address."

    def _read_challenge(self) -> str:
        """Check the challenge, which leads clients to the documents (RFC 9728 section 5.1)."""
        response = self._post(self._resource, HTTPStatus.UNAUTHORIZED, json=_LIST_TOOLS, headers=_MCP_HEADERS)
        document = f"{self._url}/.well-known/oauth-protected-resource{MCP_ROOT}"
        if f'resource_metadata="{document}"' not in response.headers.get("WWW-Authenticate", ""):
            raise Failed(
                f"The 401 of {MCP_ROOT} does not point at {document}.", f"{_PROXY}, WWW-Authenticate above all."
            )
        return f"the 401 of {MCP_ROOT} points at the metadata."

    def _register(self) -> str:
        """Register a client (RFC 7591)."""
        metadata = {
            "client_name": self._made.app_name,
            "redirect_uris": [_CALLBACK],
            "token_endpoint_auth_method": "none",
        }
        response = self._post(self._endpoints["registration_endpoint"], HTTPStatus.CREATED, json=metadata)
        self._client_id = _member_of(response, "client_id")
        return "a throwaway app registered."

    def _sign_in(self) -> str:
        """Sign in from the authorization endpoint, and check that it is reached again with its whole query."""
        asked = urlencode(
            {
                "response_type": "code",
                "client_id": self._client_id,
                "redirect_uri": _CALLBACK,
                "scope": Scope.READ.value,
                "state": self._verifier[:8],
                "code_challenge": _challenge_of(self._verifier),
                "code_challenge_method": "S256",
                "resource": self._resource,
            }
        )
        wanted = f"{self._endpoints['authorization_endpoint']}?{asked}"
        sign_in = self._redirect_of(self._get(wanted, HTTPStatus.FOUND))
        fields = {"email": self._made.email, "password": self._made.password}
        response = self._submit(sign_in, fields)
        if response.status_code == HTTPStatus.OK:
            raise Failed(
                "The throwaway member could not sign in.",
                "Run the command with the environment of the service, so that both use the same database.",
            )
        self._consent_page = self._redirect_of(_expect(response, HTTPStatus.FOUND))
        if self._consent_page != wanted:
            raise Failed("The authorization request was lost at sign-in.", f"{_PROXY} and the whole query.")
        return "a throwaway member signed in, and the request was still there."

    def _consent(self) -> str:
        """Consent, and check the redirect (RFC 6749 section 4.1.2, RFC 9207)."""
        response = self._submit(self._consent_page, {"decision": "allow"})
        location = self._redirect_of(_expect(response, HTTPStatus.FOUND))
        given = {name: values[0] for name, values in parse_qs(urlsplit(location).query).items()}
        if (given.get("state"), given.get("iss")) != (self._verifier[:8], self._url) or "code" not in given:
            raise Failed(
                f"The answer carries {', '.join(sorted(given)) or 'nothing'}.", f"Set BASE_URL to {self._url}."
            )
        self._code = given["code"]
        return "the member allowed it, and a code came back."

    def _exchange(self) -> str:
        """Exchange the code (RFC 6749 section 4.1.3, RFC 7636)."""
        fields = {
            "grant_type": "authorization_code",
            "client_id": self._client_id,
            "code": self._code,
            "code_verifier": self._verifier,
            "redirect_uri": _CALLBACK,
            "resource": self._resource,
        }
        response = self._post(self._endpoints["token_endpoint"], HTTPStatus.OK, data=fields)
        self._access_token = _member_of(response, "access_token")
        return "the code became a token."

    def _list_tools(self) -> str:
        """List the tools, which is an assistant's first call."""
        headers = _MCP_HEADERS | {"Authorization": f"Bearer {self._access_token}"}
        response = self._post(self._resource, HTTPStatus.OK, json=_LIST_TOOLS, headers=headers)
        tools = _json_of(response).get("result", {}).get("tools")
        if not tools:
            raise Failed("There are no tools in the answer.", "Search the service's log for its request id.")
        return f"{len(tools)} tools."

    def _document(self, path: str) -> dict[str, Any]:
        return _json_of(self._get(f"{self._url}{path}", HTTPStatus.OK))

    def _submit(self, page: str, fields: dict[str, str]) -> httpx2.Response:
        """Open `page` and send its form, like a browser."""
        token = _FORM_TOKEN.search(self._get(page, HTTPStatus.OK).text)
        if token is None:
            raise Failed(f"There is no form on {urlsplit(page).path}.", f"{_PROXY}.")
        return self._asked("POST", page, data=fields | {"csrfmiddlewaretoken": token[1]}, headers={"Origin": self._url})

    def _redirect_of(self, response: httpx2.Response) -> str:
        return urljoin(str(response.url), response.headers.get("Location", ""))

    def _get(self, address: str, status: HTTPStatus) -> httpx2.Response:
        return _expect(self._asked("GET", address), status)

    def _post(self, address: str, status: HTTPStatus, **content: Any) -> httpx2.Response:
        return _expect(self._asked("POST", address, **content), status)

    def _asked(self, method: str, address: str, **content: Any) -> httpx2.Response:
        try:
            return self._http.request(method, address, **content)
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise Failed(
                f"{urlsplit(address).path} did not answer: {str(error) or type(error).__name__}.",
                "Check that the service is running and that the address reaches it.",
            ) from None


def _expect(response: httpx2.Response, status: HTTPStatus) -> httpx2.Response:
    """Return the response if it has the expected status, else fail the step."""
    code = response.status_code
    if code == status:
        return response
    path = response.url.path
    if code == HTTPStatus.TOO_MANY_REQUESTS:
        wait = response.headers.get("Retry-After", "some")
        raise Failed(f"{path} answers 429.", f"This address made too many requests: try again in {wait} seconds.")
    if response.is_redirect:
        raise Failed(
            f"{path} answers {code} to {response.headers.get('Location')}.",
            "Clients do not follow redirects here: set BASE_URL to the address it redirects to.",
        )
    if code >= HTTPStatus.INTERNAL_SERVER_ERROR:
        said = f"request id {response.headers.get('X-Request-Id', 'not given: it came from a proxy')}"
        raise Failed(f"{path} answers {code}.", f"Check the log ({said}).")
    raise Failed(f"{path} answers {code}, not {status.value}.", f"{_PROXY}.")


def _json_of(response: httpx2.Response) -> dict[str, Any]:
    try:
        value = response.json()
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise Failed(f"{response.url.path} did not answer with a JSON object.", f"{_PROXY}.")
    return value


def _member_of(response: httpx2.Response, name: str) -> str:
    value = _json_of(response).get(name)
    if not isinstance(value, str):
        raise Failed(f"{response.url.path} answered without {name}.", f"{_PROXY}.")
    return value


def _challenge_of(verifier: str) -> str:
    """Return the S256 challenge (RFC 7636 section 4.2)."""
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()

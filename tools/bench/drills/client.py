"""A client of the API that validates every answer, and a browser."""

import http.client
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import urlencode

import httpx2
import orjson

from tools.bench.cast import CLIENT_ID

SILENCE_SECONDS = 40
"""The longest timeout of the service itself is 17 s (PostgreSQL)."""

ERROR_TYPES = {400: "invalid_request", 404: "not_found", 429: "rate_limited", 500: "internal_error"}

_BOUNDARY = "drill-3f9f5a9e6f5e4a58"


class ClosedError(Exception):
    """The connection was refused or closed, so the client knows that no answer will arrive."""


class ImproperAnswerError(Exception):
    """An answer that is neither a success, nor an error in the service's format, nor a closed connection."""


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """An answer in JSON."""

    status: int
    headers: http.client.HTTPMessage
    body: Any

    @property
    def ok(self) -> bool:
        """Whether it is a success."""
        return self.status < 300

    @property
    def replayed(self) -> bool:
        """Whether it is a repeated answer."""
        return self.headers["Idempotency-Replayed"] == "true"

    @property
    def fault(self) -> str:
        """The kind of error, for counting."""
        error = self.body["error"]
        return f"{self.status} {error if isinstance(error, str) else error['type']}"


class Client:
    """One connection to a port on loopback, reopened when needed.

    Args:
        key: the default bearer token.
        address: the client address to report as a proxy.
    """

    def __init__(self, port: int, key: str = "", *, address: str = "") -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SILENCE_SECONDS)
        self._key = key
        self._address = address

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def get(self, path: str, key: str = "") -> HttpAnswer:
        """Send a GET request."""
        return self.call("GET", path, key=key)

    def token(self, **form: str) -> HttpAnswer:
        """Send a request of the public client to the token endpoint."""
        return self.call("POST", "/oauth/token", form=form | {"client_id": CLIENT_ID})

    def refresh(self, token: str) -> HttpAnswer:
        """Exchange a refresh token."""
        return self.token(grant_type="refresh_token", refresh_token=token)

    def call(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        key: str = "",
        form: Mapping[str, str] | None = None,
        file: bytes | None = None,
        idempotency_key: str = "",
    ) -> HttpAnswer:
        """Send one request and read its answer. Raises `ClosedError` or `ImproperAnswerError`."""
        headers = {"Authorization": f"Bearer {key or self._key}"} if key or self._key else {}
        if self._address:
            headers["X-Forwarded-For"] = self._address
        if idempotency_key:
            headers["Idempotency-Key"] = idempotency_key
        sent: bytes | None = None
        if form is not None:
            sent, headers["Content-Type"] = urlencode(form).encode(), "application/x-www-form-urlencoded"
        elif file is not None:
            sent, headers["Content-Type"] = _multipart(file), f"multipart/form-data; boundary={_BOUNDARY}"
        elif body is not None:
            sent, headers["Content-Type"] = orjson.dumps(body), "application/json"
        try:
            self._connection.request(method, path, sent, headers)
            response = self._connection.getresponse()
            raw = response.read()
        except TimeoutError:
            self.close()
            raise ImproperAnswerError(f"{method} {path}: no answer in {SILENCE_SECONDS} s") from None
        except (OSError, http.client.IncompleteRead) as error:
            self.close()
            raise ClosedError(type(error).__name__) from None
        except http.client.HTTPException as error:
            self.close()
            raise ImproperAnswerError(f"{method} {path}: {type(error).__name__}") from None
        return _judged(f"{method} {path}", response, raw)


def _multipart(file: bytes) -> bytes:
    head = f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="upload"\r\n\r\n'
    return head.encode() + file + f"\r\n--{_BOUNDARY}--\r\n".encode()


def _judged(what: str, response: http.client.HTTPResponse, raw: bytes) -> HttpAnswer:
    try:
        answer = HttpAnswer(response.status, response.headers, orjson.loads(raw))
    except orjson.JSONDecodeError:
        raise ImproperAnswerError(f"{what}: {response.status} {raw[:80]!r}") from None
    if response.status < 300:
        return answer
    error = answer.body.get("error")
    if what.endswith("/health"):
        proper = answer.body == {"status": "down"}
    elif isinstance(error, str):
        proper = set(answer.body) == {"error", "error_description"}
    else:
        named = error["type"] == ERROR_TYPES.get(response.status, error["type"])
        proper = named and error["request_id"] == response.headers["X-Request-Id"]
    if not proper:
        raise ImproperAnswerError(f"{what}: {response.status} {raw[:80]!r}")
    return answer


class Browser:
    """A browser. It keeps its cookies for all instances, as behind one proxy."""

    def __init__(self, address: str) -> None:
        self._address = address
        # nothing is encrypted, so no certificates are loaded
        self._client = httpx2.Client(
            headers={"X-Forwarded-For": address}, timeout=SILENCE_SECONDS, trust_env=False, verify=False
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def copy(self) -> "Browser":
        """Return another tab, with a copy of the cookies."""
        tab = Browser(self._address)
        tab._client.cookies.update(self._client.cookies)  # of its own class
        return tab

    def send(self, port: int, target: str, form: Mapping[str, str] | None = None) -> tuple[int, str]:
        """Visit a page or post a form. Return status and `Location`."""
        url = f"http://127.0.0.1:{port}{target}"
        if form is None:
            answer = self._client.get(url)
        else:
            answer = self._client.post(url, data={**form, "csrfmiddlewaretoken": self._client.cookies["csrftoken"]})
        return answer.status_code, answer.headers.get("Location", "")

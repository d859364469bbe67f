"""A client for the OpenAI-compatible API of a language model that the operator names.

The package `openai` was measured against it: it takes 43 MiB and half a second of CPU in each process, and bounds
neither a whole answer's time nor its size. One request is all that is needed here.
"""

import json
from dataclasses import dataclass
from http import HTTPStatus
from http.client import HTTPException, HTTPResponse
from typing import Any, Final
from urllib.parse import urlsplit

from studyservice.fetching.connecting import Deadline, Fault, FetchError
from studyservice.fetching.exchanging import answered, body_of
from studyservice.language_model import LanguageModel

MAX_BYTES: Final = 2 * 1024 * 1024
"""Maximum size of an answer."""

_REDIRECTS: Final = range(300, 400)
_UNREACHABLE: Final = "Its server cannot be reached, or ended the connection."


class ModelError(Exception):
    """The model's server did not answer as it should.

    Attributes:
        reason: a sentence for the member, without anything from the answer.
        is_final: whether asking again is useless.
        status: the HTTP status, if there was one.
    """

    def __init__(self, reason: str, *, is_final: bool = False, status: int | None = None) -> None:
        super().__init__(reason)
        self.reason, self.is_final, self.status = reason, is_final, status


@dataclass(frozen=True, slots=True)
class ModelAPI:
    """The API of one model. Every request ends at the deadline, and proxies in the environment are ignored."""

    model: LanguageModel
    deadline: Deadline

    def content(self, message: str, response_format: dict[str, Any] | None) -> str:
        """Send one message of a user, and return the content of the answer.

        Raises:
            ModelError: there is none.
        """
        asked: dict[str, Any] = {
            "model": self.model.name,
            "messages": [{"role": "user", "content": message}],
            "stream": False,
        }
        if response_format is not None:
            asked["response_format"] = response_format
        answer = self._asked("POST", "/chat/completions", json.dumps(asked).encode())
        try:
            content = answer["choices"][0]["message"]["content"]
        except (LookupError, TypeError):
            content = None
        if not isinstance(content, str):
            raise ModelError("Its answer has an unknown shape.")
        return content

    def names(self) -> list[str]:
        """Return the names of the server's models.

        Raises:
            ModelError: there are none.
        """
        answer = self._asked("GET", "/models", None)
        try:
            return [str(one["id"]) for one in answer["data"]]
        except (LookupError, TypeError):
            raise ModelError("Its answer has an unknown shape.") from None

    def _asked(self, method: str, path: str, body: bytes | None) -> Any:
        parts = urlsplit(self.model.url)
        headers = {"Accept": "application/json"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if self.model.key:
            headers["Authorization"] = f"Bearer {self.model.key}"
        parts = parts._replace(path=f"{parts.path}{path}")
        try:
            with answered(parts, self.deadline, headers, method=method, body=body, is_trusted=True) as response:
                return _json(response)
        except TimeoutError:
            raise ModelError("It did not answer in time.", is_final=True) from None
        except FetchError as error:
            is_final = error.fault is Fault.TOO_LARGE
            raise ModelError("Its answer is too long." if is_final else _UNREACHABLE, is_final=is_final) from None
        except (OSError, HTTPException):
            raise ModelError(_UNREACHABLE) from None


def _json(response: HTTPResponse) -> Any:
    """Return the JSON of an answer with status 200."""
    status = response.status
    if status in _REDIRECTS:
        raise ModelError("Its server redirects to another address.", is_final=True, status=status)
    if status != HTTPStatus.OK:
        is_final = status < HTTPStatus.INTERNAL_SERVER_ERROR and status != HTTPStatus.TOO_MANY_REQUESTS
        raise ModelError(f"Its server answered with status {status}.", is_final=is_final, status=status)
    body = body_of(response, MAX_BYTES)
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise ModelError("Its answer is not JSON.") from None

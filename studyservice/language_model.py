"""The language model that the operator names for reading syllabi, from the environment."""

from dataclasses import dataclass, field
from typing import Final

from django.core.exceptions import ImproperlyConfigured

from studyservice.environment import LOOPBACK, is_private, split_url

_PREFIX: Final = "SYLLABUS_MODEL"
_MOST_LABEL: Final = 60


@dataclass(frozen=True, slots=True)
class LanguageModel:
    """A model behind an OpenAI-compatible API.

    Attributes:
        url: the root of the API, without a slash at its end, such as `http://127.0.0.1:11434/v1`.
        name: of the model there.
        key: sent as a bearer token; empty for none.
        label: its name on pages.
    """

    url: str
    name: str
    key: str = field(repr=False)
    label: str


def language_model(url: str, name: str, key: str, label: str) -> LanguageModel | None:
    """Return the model that these variables name, or None if all are empty.

    Args:
        url: SYLLABUS_MODEL_URL.
        name: SYLLABUS_MODEL.
        key: SYLLABUS_MODEL_KEY.
        label: SYLLABUS_MODEL_LABEL.
    """
    if not (url or name or key or label):
        return None
    url = url.rstrip("/")
    missing = [variable for variable, value in ((f"{_PREFIX}_URL", url), (_PREFIX, name)) if not value]
    if missing:
        raise ImproperlyConfigured(f"{' and '.join(missing)} must be set too: a model has an address and a name.")
    host = _host(url)
    if not (key.isascii() and key.isprintable() and " " not in key):
        raise ImproperlyConfigured(f"{_PREFIX}_KEY must be one word of ASCII characters.")
    if len(label) > _MOST_LABEL or not label.isprintable():
        raise ImproperlyConfigured(f"{_PREFIX}_LABEL must be one line of at most {_MOST_LABEL} characters.")
    return LanguageModel(url, name, key, label or host)


def _host(url: str) -> str:
    """Return the host of a usable URL. Plain http is for loopback, private addresses, and names without a dot."""
    variable = f"{_PREFIX}_URL"
    parts = split_url(url) if url.isascii() and url.isprintable() and not {" ", "@", "?", "#"} & {*url} else None
    host = (parts and parts.hostname) or ""
    try:
        host.encode("idna")
    except UnicodeError:
        parts = None
    if parts is None:
        raise ImproperlyConfigured(
            f"{variable} must be the root of an API, such as http://127.0.0.1:11434/v1, without a password and a query."
        )
    if parts.scheme == "http" and not (host in LOOPBACK or is_private(host)):
        raise ImproperlyConfigured(
            f"{variable} must be https, except on loopback, in a private network, or for a name without a dot: {url}"
        )
    return host

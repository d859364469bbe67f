"""The WSGI environment (PEP 3333) of an ASGI request."""

import io
import sys
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes, urlsplit
from wsgiref.util import FileWrapper

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

_FIXED = {
    "SCRIPT_NAME": "",
    "wsgi.version": (1, 0),
    "wsgi.errors": sys.stderr,
    "wsgi.multithread": True,
    "wsgi.multiprocess": True,
    "wsgi.run_once": False,
    "wsgi.input_terminated": True,
    "wsgi.file_wrapper": FileWrapper,
}


def environ_of(scope: dict[str, Any]) -> "WSGIEnvironment":
    """Return the environment, with an empty body."""
    client, server = scope["client"] or ("", 0), scope["server"] or ("", 0)
    path: bytes = scope["raw_path"]
    if not path.startswith(b"/") and b"://" in path:  # RFC 9112 section 3.2.2
        path = urlsplit(path).path or b"/"
    environ = _FIXED | {
        "REQUEST_METHOD": scope["method"],
        "PATH_INFO": (unquote_to_bytes(path) if b"%" in path else path).decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "SERVER_NAME": server[0],
        "SERVER_PORT": str(server[1]),
        "REMOTE_ADDR": client[0],
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": io.BytesIO(),
    }
    for name, value in scope["headers"]:
        key, text = _key(name), value.decode("latin-1")
        environ[key] = f"{environ[key]},{text}" if key in environ else text
    return environ


@lru_cache(1024)
def _key(name: bytes) -> str:
    key = name.decode("latin-1").upper().replace("-", "_")
    return key if key in {"CONTENT_TYPE", "CONTENT_LENGTH"} else f"HTTP_{key}"

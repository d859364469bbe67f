"""Leads a Python process to the schools of a drill on port DRILL_SCHOOLS, if its directory is on PYTHONPATH."""

import os
import socket
from typing import Any

_PUBLIC = "93.184.215.14"
_connect, _look_up = socket.socket.connect, socket.getaddrinfo


def _found(host: Any, port: Any, *given: Any, **named: Any) -> Any:
    return _look_up(_PUBLIC if str(host).endswith(".school.example") else host, port, *given, **named)


def _led(plain: socket.socket, address: Any) -> None:
    _connect(plain, ("127.0.0.1", int(os.environ["DRILL_SCHOOLS"])) if address[0] == _PUBLIC else address)


socket.getaddrinfo = _found
socket.socket.connect = _led  # type: ignore[assignment, method-assign]

"""Readers for the child process that do forbidden things."""

import ctypes
import os
import resource
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

Found = Iterator[dict[str, Any]]


def well(file: IO[bytes], options: dict[str, Any]) -> Found:
    """Report the input and the process."""
    yield {"content": file.read().decode(), "options": options}
    yield {
        "environment": sorted(os.environ.keys() - {"LC_CTYPE"}),  # set by Python itself (PEP 538)
        "memory": resource.getrlimit(resource.RLIMIT_AS)[0],
        "django": "django" in sys.modules,
    }


def forever(_file: IO[bytes], _options: dict[str, Any]) -> Found:
    """Print something, then sleep."""
    yield {"media_type": "text/plain"}
    time.sleep(60)


def busy(_file: IO[bytes], _options: dict[str, Any]) -> Found:
    """Use more than the allowed CPU, here a second to keep the test cheap."""
    resource.setrlimit(resource.RLIMIT_CPU, (1, 2))
    yield {"media_type": "text/plain"}
    while True:
        pass


def greedy(_file: IO[bytes], _options: dict[str, Any]) -> Found:
    """Allocate a gigabyte."""
    yield {"length": len(bytearray(1024**3))}


def talkative(_file: IO[bytes], _options: dict[str, Any]) -> Found:
    """Write more than the parent reads."""
    while True:
        yield {"said": "a" * 1024 * 1024}


def crash(_file: IO[bytes], _options: dict[str, Any]) -> Found:
    """Read address 0."""
    yield {"media_type": "text/plain"}
    ctypes.string_at(0)


def garbage(_file: IO[bytes], _options: dict[str, Any]) -> Found:
    """Write invalid JSON."""
    yield {"media_type": "text/plain"}
    sys.stdout.write("}{ nonsense\n")


def failing(_file: IO[bytes], _options: dict[str, Any]) -> Found:
    """Raise an exception."""
    yield {"media_type": "text/plain"}
    raise ValueError("secret content")


def writing(_file: IO[bytes], options: dict[str, Any]) -> Found:
    """Write a file."""
    try:
        Path(options["path"]).write_text("written")
    except OSError as refused:
        yield {"refused": type(refused).__name__}


def orphan(_file: IO[bytes], options: dict[str, Any]) -> Found:
    """Report the process id on a port, then sleep."""
    with socket.create_connection(("127.0.0.1", options["port"])) as connection:
        connection.sendall(str(os.getpid()).encode())
    time.sleep(60)
    yield {}

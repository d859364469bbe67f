"""The internet of a test: names, addresses, and HTTPS servers with certificates of a test authority.

Only the resolver and the operating system's `connect` are replaced, in this process. Names, certificates and addresses
are checked as usual, and no connection leaves the machine.
"""

import os
import socket
import ssl
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from studyservice.fetching.connecting import _context

PUBLIC = "93.184.215.14"
OTHER_PUBLIC = "93.184.215.15"

Answer = Callable[[str, ssl.SSLSocket], None]
"""Writes the answer to a request, given its head."""


def answer(body: bytes = b"", *, status: str = "200 OK", **headers: str) -> Answer:
    """Always send the same answer. Underscores in header names become hyphens; empty headers are left out."""
    fields = {"Content-Length": str(len(body))} | {name.replace("_", "-"): value for name, value in headers.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items() if value)
    return lambda _, connection: connection.sendall(f"HTTP/1.1 {status}\r\n{head}\r\n".encode() + body)


def moved(address: str, status: str = "302 Found") -> Answer:
    return answer(status=status, Location=address)


def dripping(start: bytes = b"HTTP/1.1 200 OK\r\n\r\n", piece: bytes = b" ", seconds: float = 10) -> Answer:
    """Send `start`, then `piece` every twentieth of a second until the deadline has passed or the client closes."""

    def write(_: str, connection: ssl.SSLSocket) -> None:
        connection.sendall(start)
        for _piece in range(int(seconds * 20)):
            time.sleep(0.05)
            connection.sendall(piece)

    return write


class Internet:
    """Names and servers. Everything else is unknown.

    Attributes:
        names: the addresses that the resolver returns for a name.
        looked_up: the names that were looked up.
        tried: the addresses that were connected to.
        requests: the heads of the received requests.
        ended: when a server finished with a connection, in seconds of the monotonic clock.
    """

    def __init__(self, directory: Path, stack: ExitStack, monkeypatch: pytest.MonkeyPatch) -> None:
        self.names: dict[str, list[str]] = {}
        self.looked_up: list[str] = []
        self.tried: list[str] = []
        self.requests: list[str] = []
        self.ended: list[float] = []
        self._servers: dict[str, tuple[str, int]] = {}
        self._directory, self._stack, self._monkeypatch = directory, stack, monkeypatch
        self._trust(str(authority(directory)))
        connect = socket.socket.connect
        monkeypatch.setattr(socket, "getaddrinfo", self._look_up)
        monkeypatch.setattr(socket.socket, "connect", lambda plain, to: connect(plain, self._led_to(to)))

    def distrust(self) -> None:
        """Stop trusting the authority of these servers."""
        self._trust(os.devnull)

    def _trust(self, authorities: str) -> None:
        self._monkeypatch.setenv("SSL_CERT_FILE", authorities)
        _context.cache_clear()

    def serve(self, name: str, write: Answer, address: str = PUBLIC, certified: str = "") -> None:
        """Point `name` to a server at `address`, with a certificate for `certified`, by default the name."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate(self._directory, certified or name))
        self._listen(name, address, lambda connection: self._answer(connection, context, write))

    def serve_in_silence(self, name: str, address: str) -> None:
        """Resolve `name` to an address that accepts connections and never answers."""
        self._listen(name, address, _read_all)

    def _listen(self, name: str, address: str, handle: Callable[[socket.socket], None]) -> None:
        self.names.setdefault(name, []).append(address)
        listening = self._stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        self._stack.callback(listening.shutdown, socket.SHUT_RDWR)
        self._servers[address] = listening.getsockname()

        def answer_one(connection: socket.socket) -> None:
            with connection, suppress(OSError):
                handle(connection)
            self.ended.append(time.monotonic())

        def accept() -> None:
            with suppress(OSError):
                while True:
                    threading.Thread(target=answer_one, args=listening.accept()[:1], daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()

    def _answer(self, connection: socket.socket, context: ssl.SSLContext, write: Answer) -> None:
        with context.wrap_socket(connection, server_side=True) as encrypted:
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                piece = encrypted.recv(65536)
                if not piece:
                    return
                head += piece
            self.requests.append(head.decode())
            write(head.decode(), encrypted)

    def _look_up(self, host: str, port: int | None, *_: Any, **__: Any) -> list[tuple[Any, ...]]:
        self.looked_up.append(host)
        literal = ":" in host or host.replace(".", "").isdigit()
        if host not in self.names and not literal:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return [_found(address, port or 0) for address in self.names.get(host, [host])]

    def _led_to(self, address: Any) -> Any:
        """Return the server behind `address`."""
        self.tried.append(address[0])
        if address[0] not in self._servers:
            raise ConnectionRefusedError(address[0])
        return self._servers[address[0]]


def _read_all(connection: socket.socket) -> None:
    while connection.recv(65536):
        pass


def _found(address: str, port: int) -> tuple[Any, ...]:
    if ":" in address:
        return (socket.AF_INET6, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (address, port, 0, 0))
    return (socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (address, port))


_AUTHORITY = "The tests' authority"


@cache
def _authority() -> tuple[ec.EllipticCurvePrivateKey, x509.Certificate]:
    key = ec.generate_private_key(ec.SECP256R1())
    return key, _signed(_AUTHORITY, key, key, x509.BasicConstraints(ca=True, path_length=None))


def authority(directory: Path) -> Path:
    """A file with the certificate of the authority that signs all others."""
    path = directory / "authority.pem"
    path.write_bytes(_authority()[1].public_bytes(serialization.Encoding.PEM))
    return path


def certificate(directory: Path, name: str) -> Path:
    """A file with a certificate for `name` and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    signed = _signed(name, key, _authority()[0], x509.SubjectAlternativeName([x509.DNSName(name)]))
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path = directory / f"{name}.pem"
    path.write_bytes(signed.public_bytes(serialization.Encoding.PEM) + private)
    return path


def _signed(
    name: str, key: ec.EllipticCurvePrivateKey, by: ec.EllipticCurvePrivateKey, extension: x509.ExtensionType
) -> x509.Certificate:
    now = datetime.now(UTC)
    subject, issuer = (x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)]) for text in (name, _AUTHORITY))
    return (
        x509.CertificateBuilder(issuer, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=3650))
        .not_valid_after(now + timedelta(days=3650))
        .add_extension(extension, critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(by.public_key()), critical=False)
        .sign(by, hashes.SHA256())
    )

"""A mail server on loopback, which answers as a test tells it to."""

import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

Reply = Callable[[str], str | None]
"""The reply to a command, like `450 later`. Empty for the usual one; None ends the connection without one."""


class MailServer:
    """The stub.

    Attributes:
        taken: the accepted messages, in order.
        connections: the number of connections so far.
        reply: the reply to each command, to the end of the data (`.`) and to the greeting (an empty command).
    """

    def __init__(self) -> None:
        self.taken: list[EmailMessage] = []
        self.connections = 0
        self.reply: Reply = lambda _: ""

    def recipients(self) -> list[str]:
        """The addresses of the accepted messages."""
        return [str(message["To"]) for message in self.taken]


def refusing(verb: str, reply: str | None) -> Reply:
    """This reply to these commands."""
    return lambda command: reply if command.upper().startswith(verb) else ""


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    stub: MailServer


class _Session(socketserver.StreamRequestHandler):
    server: _Server

    def handle(self) -> None:
        self.server.stub.connections += 1
        if not self.say("", "220 ready"):
            return
        while line := self.rfile.readline():
            command = line.decode().strip()
            verb = command.upper()
            if not self.say(command, {"DATA": "354 go on", "QUIT": "221 bye"}.get(verb, "250 ok")) or verb == "QUIT":
                return

    def say(self, command: str, usual: str) -> bool:
        """Reply. False if that ends the connection."""
        told = self.server.stub.reply(command)
        if told is None:
            return False
        self.wfile.write(f"{told or usual}\r\n".encode())
        return self.take() if usual.startswith("354") and not told else True

    def take(self) -> bool:
        """Read a message and keep it if it is accepted."""
        lines = []
        while (line := self.rfile.readline()) not in {b".\r\n", b""}:
            lines.append(line)
        if self.server.stub.reply(".") == "":
            self.server.stub.taken.append(message_from_bytes(b"".join(lines), EmailMessage, policy=policy.SMTP))
        return self.say(".", "250 taken")


@contextmanager
def mail_server(settings: Any) -> Iterator[MailServer]:
    """The stub, as the mail server of the settings."""
    with _Server(("127.0.0.1", 0), _Session) as server:
        server.stub = MailServer()
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = server.server_address[:2]
        settings.EMAIL_HOST_USER = settings.EMAIL_HOST_PASSWORD = ""
        settings.EMAIL_USE_TLS = settings.EMAIL_USE_SSL = False
        settings.EMAIL_TIMEOUT = 1
        try:
            yield server.stub
        finally:
            server.shutdown()

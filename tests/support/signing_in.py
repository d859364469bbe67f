"""Signs in through a browser without a screen."""

from typing import Any

from django.core import mail as outgoing
from django.test import Client

from accounts import mail

PASSWORD = "correct horse battery"
EMAIL = "ada@example.org"


def ask(client: Client, email: str = EMAIL, **extra: Any) -> Any:
    return client.post("/sign-in", {"email": email}, **extra)


def newest_code() -> str:
    mail.drain()
    return str(outgoing.outbox[-1].subject[:6])


def other_than(code: str) -> str:
    return f"{(int(code) + 1) % 10**6:06}"


def signed_in(client: Client) -> bool:
    return client.get("/keys").status_code == 200

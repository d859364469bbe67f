"""A temporary member for one check, and the app that connects for it."""

import secrets
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from accounts.erasure.erasing import erase_member
from accounts.models import Member
from oauthserver.models import Application


@dataclass(frozen=True, slots=True)
class Throwaway:
    """Names of the temporary member and app, which nothing else uses."""

    email: str
    password: str
    app_name: str


@contextmanager
def throwaway() -> Iterator[Throwaway]:
    """Create a member with a random password. The member and the app are always deleted afterwards.

    SIGTERM ends it like Ctrl-C. Only SIGKILL leaves the member behind. Its address identifies it.
    """
    name = secrets.token_hex(8)
    made = Throwaway(f"connection-check-{name}@check.invalid", secrets.token_urlsafe(32), f"Connection check {name}")
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        Member.objects.create_user(made.email, made.password, name="Connection check")
        yield made
    finally:
        for member_id in Member.objects.at(made.email).values_list("id", flat=True):
            erase_member(member_id)
        Application.objects.filter(name=made.app_name).delete()
        signal.signal(signal.SIGTERM, before)

"""Connect like an assistant, and report problems."""

import secrets
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.core.management.base import CommandError, CommandParser

from accounts.erasure.erasing import erase_member
from accounts.models import Member
from oauthserver.connection_check import Throwaway, connecting
from oauthserver.models import Application
from studyservice.installation.findings import Finding, Outcome, finding_of, findings_of_chain
from studyservice.installation.network import network_steps
from studyservice.management.operators import JsonCommand

_INTERRUPTED = 130
"""The exit status of shells for Ctrl-C."""


class Command(JsonCommand):
    """`checkconnection [URL]`: exit status 0 if an assistant can connect, 1 otherwise."""

    help = "Connect to this service like an assistant, and report problems."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the command's arguments."""
        parser.add_argument("url", nargs="?", default=settings.BASE_URL, help="default: BASE_URL")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run every step. The temporary member and app are deleted afterwards."""
        url = options["url"].rstrip("/")
        found: list[Finding] = []
        try:
            for finding in map(finding_of, network_steps(url)):
                self._add(finding, found, quiet=options["json"])
            with throwaway() as made, connecting(url, made) as steps:
                for finding in findings_of_chain(steps):
                    self._add(finding, found, quiet=options["json"])
        except KeyboardInterrupt:
            raise CommandError("Interrupted. Nothing is left behind.", returncode=_INTERRUPTED) from None
        failed = [finding.step for finding in found if finding.outcome is Outcome.FAILED]
        if options["json"]:
            fields = {"url": url, "ok": not failed, "checks": [finding.as_json() for finding in found]}
            self.answer(options, fields, text="")
        if failed:
            raise CommandError(f"Assistants cannot connect to {url}: see {', '.join(failed)}.")

    def _add(self, finding: Finding, found: list[Finding], *, quiet: bool) -> None:
        """Keep the finding, and print it at once, since a step may take long."""
        found.append(finding)
        if not quiet:
            self.stdout.write(str(finding))


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

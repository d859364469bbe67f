"""Check everything that an installation needs, with advice on each failure."""

from collections.abc import Iterator
from functools import partial
from smtplib import SMTPException
from typing import Any

from django.conf import settings
from django.core.mail import get_connection
from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from accounts import mail
from accounts.members.last_runs import Schedule, schedules
from accounts.signing_in.provider.metadata import discover, document, redirect_uri
from accounts.signing_in.provider.outcomes import ProviderDown
from studyservice.identity_provider import IdentityProvider
from studyservice.installation import machine
from studyservice.installation.findings import Failed, Finding, Outcome, Skipped, finding_of, findings_of_chain
from studyservice.installation.network import proxy_steps
from studyservice.management.operators import JsonCommand
from studyservice.secrets.sealing import in_words, unreadable_secrets
from studyservice.server.signals import BACKUP

_SMTP = "django.core.mail.backends.smtp.EmailBackend"
_CONSOLE = "django.core.mail.backends.console.EmailBackend"

_START = "Start study-schedule.service, with containers `schedule`: docs/operating.md, Commands."
_BACK_UP = (
    "Start study-backup.timer, with containers `backups`, and read the log of its last run: docs/bad-days.md, Back up "
    "and restore."
)


class Command(JsonCommand):
    """`checkinstall`: exit status 0 if all checks pass, 1 otherwise. A wrong setting stops it like every command."""

    help = "Check this installation, from settings to schedules, with advice on each failure."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the command's arguments."""
        parser.add_argument("--mail-to", metavar="ADDRESS", help="send a test e-mail to this address")
        parser.add_argument(
            "--least-free",
            type=int,
            default=machine.LEAST_FREE_MIB,
            metavar="MIB",
            help=f"default: {machine.LEAST_FREE_MIB}",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Run every check, and print each result at once, since some take long."""
        found: list[Finding] = []
        for finding in findings(mail_to=options["mail_to"], least_free_mib=options["least_free"]):
            found.append(finding)
            if not options["json"]:
                self.stdout.write(str(finding))
        failed = [finding.step for finding in found if finding.outcome is Outcome.FAILED]
        if options["json"]:
            self.answer(options, {"ok": not failed, "checks": [one.as_json() for one in found]}, text="")
        if failed:
            raise CommandError(f"{len(failed)} of {len(found)} checks failed: {', '.join(failed)}.")


def findings(*, mail_to: str | None, least_free_mib: int) -> Iterator[Finding]:
    """Run every check of an installation. After a failure, checks that depend on it are skipped.

    Args:
        mail_to: receives a test e-mail; without it the check only logs in to the mail server.
        least_free_mib: least free space in each directory.
    """
    yield from map(finding_of, machine.settings_steps())
    yield finding_of(("processes", machine.processes))
    yield finding_of(("DATA_DIR", machine.data_dir))
    yield finding_of(("free space", partial(machine.free_space, least_free_mib)))
    reached = True
    for finding in findings_of_chain(machine.database_steps()):
        reached = reached and finding.outcome is Outcome.PASSED
        yield finding
    yield finding_of(("secrets", _secrets if reached else _not_reached))
    yield finding_of(("redis", machine.redis))
    yield finding_of(("mail", partial(_mail, mail_to)))
    if settings.SYLLABUS_MODEL is not None:
        yield finding_of(("syllabus model", partial(machine.syllabus_model, settings.SYLLABUS_MODEL)))
    if settings.IDENTITY_PROVIDER is not None:
        yield finding_of(("identity provider", partial(_identity_provider, settings.IDENTITY_PROVIDER)))
    yield from findings_of_chain(proxy_steps())
    yield finding_of(("clock", machine.clock if reached else _not_reached))
    if not reached:
        yield finding_of(("schedules", _not_reached))
        return
    for schedule in schedules():
        yield finding_of((f"schedule {schedule.name}", partial(_schedule, schedule)))


def _not_reached() -> str:
    raise Skipped("not reached.")


def _secrets() -> str:
    found = in_words(unreadable_secrets())
    if found:
        raise Failed(
            f"SECRET_KEY and SECRET_KEY_FALLBACKS cannot decrypt: {found}.",
            "Add the key of before to SECRET_KEY_FALLBACKS and restart every unit. If it is lost: docs/operating.md, "
            "Changing secrets.",
        )
    return "all can be decrypted."


def _mail(to: str | None) -> str:
    backend: str = settings.EMAIL_BACKEND
    if backend == _CONSOLE and not settings.TRIAL:
        raise Failed(
            "E-mails are printed to the log, including sign-in codes.",
            "Set EMAIL_URL to smtp+tls://user:password@host:587.",
        )
    if settings.DEFAULT_FROM_EMAIL.rstrip(">").endswith("@localhost") and backend == _SMTP:
        raise Failed("E-mails are sent from noreply@localhost.", "Set DEFAULT_FROM_EMAIL to an address of your domain.")
    if to is None and backend != _SMTP:
        raise Skipped("no mail server is set.")
    where = f"{settings.EMAIL_HOST}:{settings.EMAIL_PORT}" if backend == _SMTP else "EMAIL_URL"
    try:
        if to is None:
            with get_connection():  # signs in
                return f"{where} accepts the connection. Send a test with --mail-to ADDRESS."
        body = f"This is a test of {settings.BASE_URL}, sent by checkinstall."
        mail.new_message(f"{settings.SERVICE_NAME}: a test", body, [to]).send()
    except (OSError, SMTPException) as error:
        raise Failed(
            f"{where}: {error}.", "Check EMAIL_URL: host, port, user, password, and tls (587) or ssl (465)."
        ) from None
    return f"{where} accepted a test for {to}. Check that it arrives, and not as spam."


def _identity_provider(provider: IdentityProvider) -> str:
    """Check that the provider's discovery document and keys can be read."""
    try:
        document(discover(provider, anew=True).jwks_uri, anew=True)
    except ProviderDown as error:
        raise Failed(
            f"{error}.",
            "Check that this machine reaches it, and that OIDC_ISSUER is its issuer to the letter: "
            "docs/identity-provider.md. SSL_CERT_FILE names the certificates of a private authority.",
        ) from None
    told = (
        f"{provider.issuer} answers. It must know this redirect URI: {redirect_uri()}. "
        "The secret is not tested: sign in once."
    )
    if provider.members is not None and settings.SIGN_UP_MEMBERSHIP_DAYS is None:
        told += (
            " Warning: OIDC_MEMBERS is set and SIGN_UP_MEMBERSHIP_DAYS is not, so who opens an invitation without a "
            "last day gets a membership without end, which the claim never ends. Set SIGN_UP_MEMBERSHIP_DAYS=0."
        )
    return told


def _schedule(schedule: Schedule) -> str:
    """Check that a command that runs on a schedule did."""
    if schedule.last is None and schedule.name == BACKUP:
        raise Skipped(
            "no backup is recorded in this database, as before the first one and after a restore. Make one now: "
            "systemctl start study-backup."
        )
    if schedule.last is None and not schedule.late:
        raise Skipped("has not run yet, and no calendar is overdue.")
    if schedule.late:
        raise Failed(f"{_age(schedule)}.", _BACK_UP if schedule.name == BACKUP else _START)
    return f"{_age(schedule)}."


def _age(schedule: Schedule) -> str:
    if schedule.last is None:
        return "It has never run"
    minutes = int((timezone.now() - schedule.last).total_seconds() // 60)
    ago = f"{minutes} minutes" if minutes < 120 else f"{minutes // 60} hours"
    return f"last run {ago} ago"

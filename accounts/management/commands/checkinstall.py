"""Check everything that an installation needs, with advice on each failure."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.management.arguments import add_json_option, answer
from accounts.operators.installation import findings
from studyservice.installation.findings import Finding, Outcome
from studyservice.installation.host import LEAST_FREE_MIB
from studyservice.management.operators import OperatorCommand


class Command(OperatorCommand):
    """`checkinstall`: exit status 0 if all checks pass, 1 otherwise. A wrong setting stops it like every command."""

    help = "Check this installation, from settings to schedules, with advice on each failure."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the command's arguments."""
        parser.add_argument("--mail-to", metavar="ADDRESS", help="send a test e-mail to this address")
        parser.add_argument(
            "--least-free", type=int, default=LEAST_FREE_MIB, metavar="MIB", help=f"default: {LEAST_FREE_MIB}"
        )
        add_json_option(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Run every check, and print each result at once, since some take long."""
        found: list[Finding] = []
        for finding in findings(mail_to=options["mail_to"], least_free_mib=options["least_free"]):
            found.append(finding)
            if not options["json"]:
                self.stdout.write(str(finding))
        failed = [finding.step for finding in found if finding.outcome is Outcome.FAILED]
        if options["json"]:
            answer(self, {"ok": not failed, "checks": [one.as_json() for one in found]}, as_json=True, text="")
        if failed:
            raise CommandError(f"{len(failed)} of {len(found)} checks failed: {', '.join(failed)}.")

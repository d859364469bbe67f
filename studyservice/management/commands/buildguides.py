"""Render the guides for the pages under /docs."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from studyservice.environment import CHECKOUT
from studyservice.guides.building import build
from studyservice.guides.markdown import BrokenLinkError


class Command(BaseCommand):
    """`buildguides`; the installed package already contains them."""

    help = "Render the guides of docs/ and the changelog, which are served as pages."
    requires_system_checks = ()

    def handle(self, *args: Any, **options: Any) -> None:
        """Render the guides."""
        if not CHECKOUT:
            self.stdout.write("The guides are part of the installed package.")
            return
        try:
            count = build()
        except (BrokenLinkError, OSError) as error:
            raise CommandError(str(error)) from None
        if options["verbosity"]:
            self.stdout.write(f"{count} guides are rendered.")

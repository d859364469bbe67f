"""Prepare DATA_DIR for `make run`."""

from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand

from accounts.models import Member
from studyservice.demo import DEMO_EMAIL, create_demo_member


class Command(BaseCommand):
    """`trial`: migrations, static files, and on the first run a demo member with lifelike data."""

    help = "Migrate, and create the demo member if there is no member yet."

    def handle(self, *args: Any, **options: Any) -> None:
        """Set up, and say how to make the first call."""
        call_command("migrate", verbosity=0)
        call_command("collectstatic", interactive=False, verbosity=0)
        if Member.objects.exists():
            self.stdout.write(f"Serving {settings.BASE_URL} with the data in {settings.DATA_DIR}.")
            return
        password, secret = create_demo_member()
        self.stdout.write(
            f"\n  A demo member was created. This is shown only now:\n\n"
            f"    e-mail    {DEMO_EMAIL}\n"
            f"    password  {password}\n"
            f"    API key   {secret}\n\n"
            f"  Try it, from another terminal:\n\n"
            f"    curl -H 'Authorization: Bearer {secret}' {settings.BASE_URL}/v1/agenda\n\n"
            f"  Reference: {settings.BASE_URL}/docs\n"
        )

"""Prepare a trial: migrations, static files, and on the first run a demo member with data."""

import shlex
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management import call_command

from accounts.models import Member
from studyservice.environment import CHECKOUT, LOOPBACK
from studyservice.trial.demo import DEMO_EMAIL, create_demo_member

PRINTING = "django.core.mail.backends.console.EmailBackend"


def prepare() -> None:
    """Set up `DATA_DIR`, and print the URLs and the first call."""
    call_command("migrate", verbosity=0)
    if CHECKOUT:  # the installed package contains them
        call_command("collectstatic", interactive=False, verbosity=0)
    base = settings.BASE_URL
    if not Member.objects.exists():
        password, secret = create_demo_member()
        print(
            f"\n  A demo member was created. This is shown only now:\n\n"
            f"    e-mail    {DEMO_EMAIL}\n"
            f"    password  {password}\n"
            f"    API key   {secret}\n\n"
            f"  Try it, from another terminal:\n\n"
            f"    curl -H 'Authorization: Bearer {secret}' {base}/v1/agenda"
        )
    elif Member.objects.filter(email=DEMO_EMAIL).exists():
        print(
            f"\n  Sign in as {DEMO_EMAIL} with the password of the first start, or ask for a code. Another API key:\n"
            f"  {_manage()} createapikey {DEMO_EMAIL} again"
        )
    print(
        f"\n  Start page      {base}/\n"
        f"  Keys and apps   {base}/keys\n"
        f"  For assistants  {base}/mcp\n"
        f"  Guides          {base}/docs/guides\n"
        f"  Reference       {base}/docs\n"
        f"  Admin           {base}/admin, for an operator; to create one:\n"
        f"                  {_manage()} createmember you@example.org --staff --password-prompt\n"
    )
    if settings.EMAIL_BACKEND == PRINTING:
        print("  E-mails are printed here instead of sent, with the codes for signing in.\n")
    if base.startswith("http:") and settings.HOST not in LOOPBACK:
        print(
            f"  Careful: with HOST={settings.HOST} everybody on this machine's network can reach this trial,\n"
            "  and http lets others on the network read everything, including passwords and keys. Use it\n"
            "  only among people you trust, and with data that is not confidential.\n"
        )
        if urlsplit(base).hostname in LOOPBACK:
            print(
                f"  Others reach it only at the address in BASE_URL, which is {base}: set it to this\n"
                f"  machine's address in the network, like BASE_URL=http://192.168.1.20:{settings.PORT}.\n"
            )


def _manage() -> str:
    """Return the shell command that runs management commands on this trial's data."""
    environment = f"DATA_DIR={shlex.quote(str(settings.DATA_DIR))} BASE_URL={settings.BASE_URL}"
    return f"{environment} {'.venv/bin/python manage.py' if CHECKOUT else 'study-data-service manage'}"

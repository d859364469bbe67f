"""`python -m trial`: migrations, static files, and on the first run a demo member with lifelike data."""

import os

import django


def main() -> None:
    """Set up `DATA_DIR` for `make run`, and say how to make the first call."""
    from django.conf import settings
    from django.core.management import call_command

    from accounts.models import Member
    from trial.demo import DEMO_EMAIL, create_demo_member

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    if Member.objects.exists():
        print(f"Serving {settings.BASE_URL} with the data in {settings.DATA_DIR}.")
        return
    password, secret = create_demo_member()
    print(
        f"\n  A demo member was created. This is shown only now:\n\n"
        f"    e-mail    {DEMO_EMAIL}\n"
        f"    password  {password}\n"
        f"    API key   {secret}\n\n"
        f"  Try it, from another terminal:\n\n"
        f"    curl -H 'Authorization: Bearer {secret}' {settings.BASE_URL}/v1/agenda\n\n"
        f"  Reference: {settings.BASE_URL}/docs\n"
    )


if __name__ == "__main__":
    from studyservice.server.startup import load_settings

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "studyservice.settings")
    load_settings()
    django.setup()
    main()

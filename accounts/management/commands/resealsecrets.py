"""Re-encrypt stored secrets under the current SECRET_KEY."""

from typing import Any

from django.core.management.base import CommandError

from studyservice.management.operators import JsonCommand
from studyservice.secrets.sealing import SEALED, in_words


class Command(JsonCommand):
    """`resealsecrets`: run it after changing SECRET_KEY, before emptying SECRET_KEY_FALLBACKS."""

    help = (
        "Re-encrypt second factors, school calendars and queued e-mails under the current SECRET_KEY; safe to repeat."
    )

    def handle(self, *args: object, **options: Any) -> None:
        """Update each row separately.

        Raises:
            CommandError: some cannot be decrypted. They stay as they are.
        """
        done = {name: sealed.reseal() for name, sealed in SEALED.items()}
        sealed, unreadable = sum(one for one, _ in done.values()), {name: left for name, (_, left) in done.items()}
        self.answer(
            options,
            {"sealed": sealed, "unreadable": unreadable},
            text=f"Re-encrypted {sealed} under the current key.",
        )
        if found := in_words(unreadable):
            raise CommandError(
                f"SECRET_KEY and SECRET_KEY_FALLBACKS cannot decrypt: {found}. Add the key of before to "
                "SECRET_KEY_FALLBACKS and run this again. If it is lost: docs/operating.md, Changing secrets."
            )

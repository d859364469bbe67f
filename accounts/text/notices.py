"""E-mails that tell members what happened to their account, so that nobody takes it over unnoticed."""

from django.conf import settings
from django.template.loader import render_to_string

from accounts.text import mail


def notify(email: str, subject: str, what: str) -> None:
    """Tell whoever reads mail at `email` what happened, in a sentence or two."""
    context = {"what": what, "account_url": f"{settings.BASE_URL}/account"}
    mail.post(mail.new_message(subject, render_to_string("email/notice.txt", context), [email]))

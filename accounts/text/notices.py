"""E-mails about account changes, so that nobody takes over an account unnoticed."""

from django.conf import settings
from django.template.loader import render_to_string

from accounts.text import mail


def notify(email: str, subject: str, what: str) -> None:
    """E-mail a notice of one or two sentences to `email`."""
    context = {"what": what, "account_url": f"{settings.BASE_URL}/account"}
    mail.post(mail.new_message(subject, render_to_string("accounts/email/notice.txt", context), [email]))

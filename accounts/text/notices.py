"""E-mails about changes of a member's account, so that nobody takes it over unnoticed."""

from django.conf import settings
from django.template.loader import render_to_string

from accounts.text import mail


def notify(email: str, subject: str, what: str) -> None:
    """E-mail a notice of a sentence or two to `email`."""
    context = {"what": what, "account_url": f"{settings.BASE_URL}/account"}
    mail.post(mail.new_message(subject, render_to_string("email/notice.txt", context), [email]))

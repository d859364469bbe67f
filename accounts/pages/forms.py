"""The forms of the members' pages."""

import re
from http import HTTPStatus
from typing import Any, TypedDict

from django import forms

from accounts.credentials.models import ApiKey

EXPIRY_DAYS = (30, 60, 90, 180, 365)
"""Choices on the key page, in addition to never."""

_EMAIL_ERRORS = {
    "required": "Enter your e-mail address.",
    "invalid": "Enter a complete e-mail address, like ada@example.org.",
}


def status_of(*shown: forms.Form | None) -> HTTPStatus:
    """Return the status of a page that shows these forms: 422 if one was rejected."""
    rejected = any(form is not None and form.errors for form in shown)
    return HTTPStatus.UNPROCESSABLE_ENTITY if rejected else HTTPStatus.OK


class EmailForm(forms.Form):
    """Requests a code."""

    email = forms.EmailField(
        label="E-mail address",
        max_length=254,
        error_messages=_EMAIL_ERRORS,
        widget=forms.EmailInput(attrs={"autocomplete": "username"}),
    )

    def clean_email(self) -> str:
        """Return the address in lower case, as it is stored."""
        return str(self.cleaned_data["email"]).lower()


class PasswordForm(EmailForm):
    """Signs in with a password."""

    password = forms.CharField(
        label="Password",
        max_length=4096,
        strip=False,
        error_messages={"required": "Enter your password."},
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )


class CodeForm(forms.Form):
    """A code of digits, with any spaces."""

    code = forms.CharField(
        label="Six-digit code",
        max_length=20,
        error_messages={"required": "Enter the six digits from the e-mail."},
        widget=forms.TextInput(
            attrs={"autocomplete": "one-time-code", "inputmode": "numeric", "class": "code-input", "autofocus": True}
        ),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.is_bound:  # the summary of the errors has the focus
            del self.fields["code"].widget.attrs["autofocus"]

    def clean_code(self) -> str:
        digits = re.sub(r"[\s-]", "", self.cleaned_data["code"])
        if not re.fullmatch(r"[0-9]{6}", digits):
            raise forms.ValidationError("A code has six digits, like 042 917. Check the e-mail and try again.")
        return digits


class KeyOptions(TypedDict):
    """The arguments of `create_api_key`, besides the name."""

    may_write: bool
    expires_days: int | None


class ApiKeyForm(forms.Form):
    """Creates an API key."""

    name = forms.CharField(
        label="Name",
        max_length=ApiKey._meta.get_field("name").max_length,
        help_text="A name you will recognize, like “Calendar script”.",
        error_messages={
            "required": "Enter a name for the key.",
            "max_length": "Use at most %(limit_value)d characters.",
        },
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    may_write = forms.BooleanField(
        label="May change data",
        required=False,
        help_text="Leave it off for a read-only key.",
    )
    expires = forms.TypedChoiceField(
        label="Expires",
        choices=[*((str(days), f"in {days} days") for days in EXPIRY_DAYS), ("never", "never")],
        initial="90",
        coerce=lambda text: None if text == "never" else int(text),
        empty_value=None,
        help_text="Expiring keys are safer.",
        error_messages={"required": "Choose when it expires.", "invalid_choice": "Choose one of the listed times."},
    )

    def options(self) -> KeyOptions:
        """Return the arguments of `create_api_key`."""
        return {"may_write": self.cleaned_data["may_write"], "expires_days": self.cleaned_data["expires"]}

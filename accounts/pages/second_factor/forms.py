"""The forms of the second factor's pages."""

from django import forms

from accounts.pages.forms import CodeForm
from accounts.signing_in.second_factor.models import Passkey

_SIX = "A code has six digits, like 042 917. Check the app and try again."


class AppCodeForm(CodeForm):
    """A code of an authenticator app."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.fields["code"].error_messages["required"] = "Enter the six digits that the app shows."

    def clean_code(self) -> str:
        """Return only the digits."""
        try:
            return super().clean_code()
        except forms.ValidationError:
            raise forms.ValidationError(_SIX) from None


class RecoveryForm(forms.Form):
    """A recovery code."""

    recovery = forms.CharField(
        label="Recovery code",
        max_length=60,
        error_messages={"required": "Enter one of your recovery codes."},
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}),
    )


class PasskeyForm(forms.Form):
    """A passkey's signature, which the script fills in."""

    passkey = forms.CharField(
        widget=forms.HiddenInput,
        error_messages={"required": "No passkey received. Try again, or choose another way."},
    )


class NewPasskeyForm(PasskeyForm):
    """A new passkey with a name."""

    name = forms.CharField(
        label="Name",
        max_length=Passkey._meta.get_field("name").max_length,
        help_text="A name you will recognize, like “Work laptop” or “Blue security key”.",
        error_messages={
            "required": "Enter a name for the passkey.",
            "max_length": "Use at most %(limit_value)d characters.",
        },
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )

"""The forms of signing in, and of the account page and its subpages."""

import re
from decimal import Decimal
from typing import Any

from django import forms
from django.contrib.auth.password_validation import validate_password

from accounts.members.models import LEAST_RETENTION, MOST_NEW_CARDS, MOST_RETENTION, Member, time_zones
from accounts.members.profile import MAX_NAME, MemberFields
from accounts.pages.forms import PercentField
from accounts.signing_in.codes import CodeRefusal
from studyservice.templatetags.site import number


class MemberForm(forms.Form):
    """A form whose checks need to know the member."""

    def __init__(self, *args: Any, member: Member, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.member = member


def email_field(
    label: str = "E-mail address", *, autocomplete: str = "username", help_text: str = ""
) -> forms.EmailField:
    """Return the field for an e-mail address."""
    return forms.EmailField(
        label=label,
        max_length=254,
        help_text=help_text,
        error_messages={
            "required": "Enter your e-mail address.",
            "invalid": "Enter a complete e-mail address, like ada@example.org.",
        },
        widget=forms.EmailInput(attrs={"autocomplete": autocomplete}),
    )


def password_field(
    label: str, required: str, *, autocomplete: str = "current-password", help_text: str = ""
) -> forms.CharField:
    """Return the field for a password.

    Args:
        required: the message if it is empty.
    """
    return forms.CharField(
        label=label,
        max_length=4096,
        strip=False,
        help_text=help_text,
        error_messages={"required": required},
        widget=forms.PasswordInput(attrs={"autocomplete": autocomplete}),
    )


class EmailForm(forms.Form):
    """Requests a code."""

    email = email_field()

    def clean_email(self) -> str:
        """Return the address in lower case, as it is stored."""
        return str(self.cleaned_data["email"]).lower()


class PasswordForm(EmailForm):
    """Signs in with a password."""

    password = password_field("Password", "Enter your password.")


class CodeForm(forms.Form):
    """A code of digits, with any spaces.

    Attributes:
        source: of the code, for the message about a wrong one.
    """

    source = "e-mail"

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
            raise forms.ValidationError(f"A code has six digits, like 042 917. Check the {self.source} and try again.")
        return digits

    def refuse(self, refusal: CodeRefusal) -> bool:
        """Tell the member why the code was refused. Return whether another try can succeed."""
        is_usable = refusal is CodeRefusal.WRONG
        self.add_error("code" if is_usable else None, refusal.value)
        return is_usable


_MISSPELT = "Choose one of the listed time zones."


def zone_choices() -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the time zones by region, as choices of a form."""
    regions: dict[str, list[tuple[str, str]]] = {}
    for name in sorted(time_zones()):
        region, _, place = name.partition("/")
        # so that members can find it by typing the place
        label = f"{place.replace('_', ' ')} ({region})" if place else name
        regions.setdefault(region if place else "Others", []).append((name, label))
    return [(region, regions[region]) for region in sorted(regions, key=lambda name: (name == "Others", name))]


class TimeZoneForm(forms.Form):
    """Sets the proposed time zone."""

    time_zone = forms.ChoiceField(
        label="Time zone",
        choices=zone_choices,
        help_text="Sets when your day starts. Past practice days keep their dates.",
        error_messages={"required": _MISSPELT, "invalid_choice": _MISSPELT},
    )


class ProfileForm(TimeZoneForm):
    """The member's profile, with the retention in percent."""

    name = forms.CharField(
        label="Name",
        max_length=MAX_NAME,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
        error_messages={"max_length": "Use at most %(limit_value)d characters."},
    )
    retention = PercentField(
        label="Target recall (%)",
        least=round(LEAST_RETENTION * 100),
        most=round(MOST_RETENTION * 100),
        help_text="The share of cards you want to know when they come up: 70 to 99. Most people use 90. A higher "
        "target brings cards back sooner, after their next review.",
    )
    new_cards_a_day = forms.IntegerField(
        label="New flashcards a day",
        min_value=0,
        max_value=MOST_NEW_CARDS,
        required=False,
        help_text="0 to 500, over all decks. Leave it empty for no limit.",
        error_messages={"invalid": "Enter a whole number from 0 to 500, or nothing."},
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    morning_email = forms.BooleanField(
        label="Morning e-mail",
        required=False,
        help_text="After 7:00: what is due today and in the next two days, what is overdue, exams within a week, and "
        "flashcards. No e-mail on days without any.",
    )
    field_order = ("name", "time_zone", "retention", "new_cards_a_day", "morning_email")

    @staticmethod
    def values_of(member: Member) -> dict[str, Any]:
        """Return the form's initial values for the member."""
        return {
            "name": member.name,
            "time_zone": member.time_zone,
            "retention": number(member.desired_retention * 100, 2),
            "new_cards_a_day": member.new_cards_a_day,
            "morning_email": member.morning_email,
        }

    def changes(self) -> MemberFields:
        """Return the arguments for `update_me`."""
        given = self.cleaned_data
        return {
            "name": given["name"],
            "time_zone": given["time_zone"],
            "desired_retention": (given["retention"] / 100).quantize(Decimal("0.0001")),
            "new_cards_a_day": given["new_cards_a_day"],
            "morning_email": given["morning_email"],
        }


class NewAddressForm(MemberForm, EmailForm):
    """Requests a code for a new e-mail address."""

    email = email_field("New e-mail address", autocomplete="email")

    def clean_email(self) -> str:
        email = super().clean_email()
        if email == self.member.email:
            raise forms.ValidationError("This is already your address.")
        return email


class ArchiveForm(forms.Form):
    """Uploads an archive."""

    file = forms.FileField(
        label="Archive (.zip)",
        help_text="Up to 200 MiB.",
        error_messages={"required": "Choose an archive.", "empty": "This file is empty. Choose an archive."},
        widget=forms.FileInput(attrs={"accept": ".zip,application/zip"}),
    )


class ErasureForm(MemberForm, EmailForm):
    """Asks for the member's own address before deleting everything."""

    email = email_field(
        "Your e-mail address, to confirm", autocomplete="off", help_text="Type the address of this account."
    )

    def clean_email(self) -> str:
        email = super().clean_email()
        if email != self.member.email:
            raise forms.ValidationError("This is not the address of your account. Nothing was deleted.")
        return email


class NewPasswordForm(MemberForm):
    """Sets a member's first password."""

    new_password = password_field(
        "New password",
        "Enter a new password.",
        autocomplete="new-password",
        help_text="At least 8 characters. A sentence is easier to remember than a word.",
    )

    def clean_new_password(self) -> str:
        password: str = self.cleaned_data["new_password"]
        validate_password(password, self.member)
        return password


class CurrentPasswordForm(forms.Form):
    """Proves the member's identity with the password."""

    current_password = password_field("Current password", "Enter your current password, or get a code by e-mail.")

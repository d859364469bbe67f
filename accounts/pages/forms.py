"""The forms of the members' pages."""

import re
from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from http import HTTPStatus
from typing import Any, TypedDict

from django import forms

from accounts.credentials.models import ApiKey
from accounts.members.models import Member
from accounts.signing_in.codes import CodeRefusal

_COMMA = re.compile(r"[+-]?\d*,\d+")


class NumberField(forms.DecimalField):
    """A number with a decimal point or a decimal comma, rounded half-up to four decimals.

    Rendered as a text field: in a field of type `number`, browsers drop a comma that they do not expect.
    """

    def __init__(self, *, least: int, most: int, **kwargs: Any) -> None:
        wrong = f"Enter a number from {least} to {most}."
        messages = {"required": wrong, "invalid": wrong, "min_value": wrong, "max_value": wrong}
        super().__init__(
            min_value=least,
            max_value=most,
            error_messages=messages | kwargs.pop("error_messages", {}),
            widget=kwargs.pop("widget", None) or forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"}),
            **kwargs,
        )

    def to_python(self, value: Any) -> Any:
        """Return the number; `87,5` is 87.5."""
        if isinstance(value, str) and _COMMA.fullmatch(value.strip()):
            value = value.replace(",", ".")
        return super().to_python(value)

    def clean(self, value: Any) -> Any:
        """Return the number, checked against its limits before rounding."""
        number = super().clean(value)
        return None if number is None else Decimal(number).quantize(Decimal("0.0001"), ROUND_HALF_UP) + 0


_LINE_END = re.compile(r"\r\n?|\n")


class LinesField(forms.CharField):
    """Text of several lines, whose line ends count as one character. Browsers send two."""

    widget = forms.Textarea

    def to_python(self, value: Any) -> Any:
        """Return the text with normalized line ends."""
        return super().to_python(_LINE_END.sub("\n", value) if isinstance(value, str) else value)


class _WithInitial(forms.BoundField):
    """A field with a hidden copy. HTML allows no description for the copy."""

    def build_widget_attrs(self, attrs: Any, widget: forms.Widget | None = None) -> dict[str, Any]:
        built = super().build_widget_attrs(attrs, widget)
        if widget is None or not widget.is_hidden:
            return built
        return {name: value for name, value in built.items() if not name.startswith("aria-")}


class EditForm(forms.Form):
    """Returns only the fields that the member edited, so that concurrent changes by others stay.

    Each field has a hidden one with the value that the page showed. Without it the field counts as edited.

    Args:
        stored: the value of each field.
    """

    use_required_attribute = False
    bound_field_class = _WithInitial

    def __init__(self, data: Any = None, *, stored: Mapping[str, Any], **kwargs: Any) -> None:
        super().__init__(data, initial=dict(stored), **kwargs)
        self.stored = stored
        for field in self.fields.values():
            field.show_hidden_initial = not field.disabled

    def changes(self) -> dict[str, Any]:
        """Return the fields that were edited and differ from the stored values."""
        return {
            name: value
            for name, value in self.cleaned_data.items()
            if self._is_edited(name) and not self._is_stored(name, value)
        }

    def _is_edited(self, name: str) -> bool:
        return self.add_initial_prefix(name) not in self.data or name in self.changed_data

    def _is_stored(self, name: str, value: Any) -> bool:
        """Return whether `value` is the stored one. Browsers may normalize or drop its line ends."""
        stored = self.stored[name]
        if isinstance(stored, str) and isinstance(value, str):
            line_end = "\n" if isinstance(self.fields[name].widget, forms.Textarea) else ""
            return _LINE_END.sub(line_end, stored) == _LINE_END.sub(line_end, value)
        return bool(stored == value)


EXPIRY_DAYS = (30, 60, 90, 180, 365)
"""Choices on the key page, in addition to never."""


def status_of(*shown: forms.Form | None) -> HTTPStatus:
    """Return the status of a page that shows these forms: 422 if one was rejected."""
    rejected = any(form is not None and form.errors for form in shown)
    return HTTPStatus.UNPROCESSABLE_ENTITY if rejected else HTTPStatus.OK


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


def name_field(noun: str, max_length: int | None, help_text: str) -> forms.CharField:
    """Return the field for the name that a member gives to a `noun`."""
    return forms.CharField(
        label="Name",
        max_length=max_length,
        help_text=help_text,
        error_messages={
            "required": f"Enter a name for the {noun}.",
            "max_length": "Use at most %(limit_value)d characters.",
        },
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
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

    def refuse(self, refusal: CodeRefusal) -> bool:
        """Tell the member why the code was refused. Return whether another try can succeed."""
        is_usable = refusal is CodeRefusal.WRONG
        self.add_error("code" if is_usable else None, refusal.value)
        return is_usable


class KeyOptions(TypedDict):
    """The arguments of `create_api_key`, besides the name."""

    may_write: bool
    expires_days: int | None


class ApiKeyForm(forms.Form):
    """Creates an API key."""

    name = name_field(
        "key", ApiKey._meta.get_field("name").max_length, "A name you will recognize, like “Calendar script”."
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

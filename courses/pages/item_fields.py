"""The fields of items and milestones, as all forms have them."""

from typing import Any

from django import forms
from django.db.models import Model

from courses.models import ItemKind
from studyservice.database.times import TIME
from studyservice.operations.columns import max_length

TOO_LONG = "Use at most %(limit_value)d characters."
TIME_NEEDS_DATE = "Enter a date too, or leave the time empty."


def title_field(model: type[Model]) -> forms.CharField:
    """The title of an item or a milestone."""
    return forms.CharField(
        label="Title",
        max_length=max_length(model, "title"),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        error_messages={"required": "Enter a title.", "max_length": TOO_LONG},
    )


def kind_field() -> forms.ChoiceField:
    """The kind of an item."""
    message = "Choose a listed kind."
    return forms.ChoiceField(
        label="Kind",
        choices=[(kind, kind.capitalize()) for kind in ItemKind.values],
        error_messages={"invalid_choice": message, "required": message},
    )


def date_field(help_text: str = "", *, required: bool = False) -> forms.DateField:
    """A date, or none if it is not `required`."""
    return forms.DateField(
        label="Date",
        required=required,
        help_text=help_text,
        widget=forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"}),
        input_formats=["%Y-%m-%d"],
        error_messages={
            "required": "Enter a date.",
            "invalid": "Enter a complete date." if required else "Enter a complete date, or leave it empty.",
        },
    )


def time_field() -> forms.RegexField:
    """A time of day as text, or none."""
    return forms.RegexField(
        TIME,
        label="Time",
        required=False,
        empty_value=None,
        widget=forms.TimeInput(attrs={"type": "time"}),
        error_messages={"invalid": "Enter a complete time, like 17:00, or leave it empty."},
    )


def require_date(form: forms.Form) -> dict[str, Any]:
    """Add an error to a cleaned form that has a time without a date. Return its data."""
    given: dict[str, Any] = form.cleaned_data
    if given.get("due_time") is not None and given.get("due_on", "wrong") is None:
        form.add_error("due_time", TIME_NEEDS_DATE)
    return given

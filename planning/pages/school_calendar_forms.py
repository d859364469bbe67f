"""The forms of the pages about school calendars."""

from collections.abc import Iterable
from typing import Any

from django import forms

from accounts.pages.forms import course_choices
from accounts.pages.once import OnceForm
from courses.serializers import CourseRow
from planning.calendar.assigning import IGNORED, LabelRow
from planning.models import MAX_NAME
from planning.school_calendars.addresses import MAX_ADDRESS

_UNDECIDED = ""


class AddressForm(OnceForm):
    """The form for adding a calendar."""

    use_required_attribute = False

    url = forms.CharField(
        label="Calendar address",
        max_length=MAX_ADDRESS,
        help_text="The secret address from your school's system. It begins with https:// or webcal://.",
        error_messages={
            "required": "Enter the address of the calendar.",
            "max_length": f"Must have at most {MAX_ADDRESS} characters.",
        },
        widget=forms.TextInput(attrs={"autocomplete": "off", "inputmode": "url", "spellcheck": "false"}),
    )
    name = forms.CharField(
        label="Name (optional)",
        required=False,
        max_length=MAX_NAME,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    course_id = forms.ChoiceField(
        label="Put dates without a course into",
        required=False,
        error_messages={"invalid_choice": "Choose one of your courses."},
    )

    def __init__(self, courses: Iterable[CourseRow], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_choices(self.fields["course_id"], [(_UNDECIDED, "No course"), *course_choices(courses)])


class LabelsForm(forms.Form):
    """The form for the course of each label."""

    use_required_attribute = False
    undecided = "Choose a course"
    """The choice for a label without a course."""

    must_decide = True

    def __init__(self, courses: Iterable[CourseRow], labels: Iterable[LabelRow], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        labels = list(labels)
        self.labels = [label["label"] for label in labels]
        choices = [(_UNDECIDED, self.undecided), *course_choices(courses), (IGNORED, "Leave these out")]
        for place, label in enumerate(labels):
            chosen = IGNORED if label["ignored"] else str(label["course_id"] or _UNDECIDED)
            dates = "1 date" if label["events"] == 1 else f"{label['events']} dates"
            self.fields[f"label-{place}"] = field = forms.ChoiceField(
                label=label["label"] or "Dates that name no course",
                required=self.must_decide,
                initial=chosen,
                help_text=f"{dates}, like “{label['example']}”",
                error_messages={
                    "invalid_choice": "Choose one of your courses.",
                    "required": "Choose a course, or leave these out.",
                },
            )
            set_choices(field, choices)

    def label_fields(self) -> list[forms.BoundField]:
        """A choice for each label."""
        return [self[f"label-{place}"] for place in range(len(self.labels))]

    def chosen(self) -> dict[str, str]:
        """The course of each label; only for a valid form."""
        return {label: self.cleaned_data[f"label-{place}"] for place, label in enumerate(self.labels)}


class CalendarForm(LabelsForm):
    """The form for a calendar's name and labels. Labels may stay unassigned."""

    undecided = "Not decided"
    must_decide = False

    name = forms.CharField(
        label="Name",
        max_length=MAX_NAME,
        error_messages={"required": "Enter a name."},
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )

    def chosen(self) -> dict[str, str]:
        """The labels whose course was changed."""
        before = {label: self.fields[f"label-{place}"].initial for place, label in enumerate(self.labels)}
        return {label: value for label, value in super().chosen().items() if value not in {_UNDECIDED, before[label]}}


def set_choices(field: forms.Field, choices: list[tuple[str, str]]) -> None:
    """Set the choices of a field."""
    if isinstance(field, forms.ChoiceField):
        field.choices = choices

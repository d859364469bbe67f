"""The forms for a new course, and for changing one."""

from typing import Any, cast

from django import forms

from accounts.pages.forms import EditForm
from accounts.pages.once import OnceForm
from courses.entry_serializers import NewCourseFields
from courses.models import Course
from courses.serializers import COURSE_TEXTS
from studyservice.operations.columns import max_length

TOO_LONG = "Use at most %(limit_value)d characters."


def _text(name: str, label: str, help_text: str = "", *, required: bool = False) -> forms.CharField:
    return forms.CharField(
        label=label,
        help_text=help_text,
        required=required,
        max_length=max_length(Course, name),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        error_messages={"required": "Enter a name for the course.", "max_length": TOO_LONG},
    )


_EMPTY = {name: getattr(Course(), name) for name in COURSE_TEXTS}


class CourseFields(forms.Form):
    """The fields of a course."""

    use_required_attribute = False

    name = _text("name", "Name", required=True)
    code = _text("code", "Course number", "Example: BIO 210")
    term = _text("term", "Term", "Example: Fall 2026")
    meets = _text("meets", "When it meets")
    institution = _text("institution", "School or university")
    subject = _text("subject", "Subject")

    def rarer(self) -> list[forms.BoundField]:
        """The fields that the page collapses."""
        return [field for field in self.visible_fields() if field.name not in {"name", "term"}]

    def rarer_errors(self) -> bool:
        """True if a collapsed field is invalid."""
        return any(field.errors for field in self.rarer())


class CourseForm(OnceForm, CourseFields):
    """A new course."""

    def fields_given(self) -> NewCourseFields:
        """The filled-in fields, for `create_course`."""
        given = self.cleaned_data
        return cast("NewCourseFields", {name: given[name] for name in COURSE_TEXTS if given[name]})


class CourseChangesForm(EditForm, CourseFields):
    """Changes of a course."""

    def clean(self) -> dict[str, Any]:
        """Emptied fields get the default of a new course."""
        given = super().clean() or self.cleaned_data
        return {name: value or _EMPTY[name] for name, value in given.items()}

"""The form that a course is made with."""

from django import forms
from django.db.models import CharField

from accounts.pages.once import OnceForm
from courses.models import DEFAULT_TERM, Course
from courses.serializers import CourseFields

TOO_LONG = "Use at most %(limit_value)d characters."


def _text(name: str, label: str, help_text: str = "", *, required: bool = False) -> forms.CharField:
    column = Course._meta.get_field(name)
    if not isinstance(column, CharField):
        raise TypeError(f"{name} is no text")
    return forms.CharField(
        label=label,
        help_text=help_text,
        required=required,
        max_length=column.max_length,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        error_messages={"required": "Give the course a name.", "max_length": TOO_LONG},
    )


class CourseForm(OnceForm):
    """A course by itself."""

    use_required_attribute = False

    name = _text("name", "Name", required=True)
    code = _text("code", "Course number", "Such as BIO 210.")
    term = _text("term", "Term", "Such as Fall 2026.")
    meets = _text("meets", "When it meets")
    institution = _text("institution", "School or university")
    subject = _text("subject", "Subject")

    def fields_given(self) -> CourseFields:
        """What `create_course` takes; what was left empty is left out."""
        given = self.cleaned_data
        return {
            "name": given["name"],
            "code": given["code"] or None,
            "term": given["term"] or DEFAULT_TERM,
            "meets": given["meets"] or None,
            "institution": given["institution"] or None,
            "subject": given["subject"] or None,
        }

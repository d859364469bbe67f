"""Fields and forms of members' pages: percents, texts, edits that keep concurrent changes, and files."""

import re
from collections.abc import Callable, Iterable, Mapping
from decimal import ROUND_HALF_UP, Decimal
from functools import wraps
from http import HTTPStatus
from typing import Any, Concatenate

from django import forms
from django.core.files.uploadedfile import TemporaryUploadedFile
from django.http import HttpRequest, HttpResponse

from accounts.credentials.limiting import CourseName
from accounts.pages.signed_in import P
from studyservice.http.error_pages import error_page
from studyservice.operations.errors import ApiError, RateLimited
from studyservice.operations.uploads import UploadedFile
from studyservice.reading.process import ReadLater

Page = Callable[Concatenate[HttpRequest, P], HttpResponse]

_COMMA = re.compile(r"[+-]?\d*,\d+")


def course_choices(courses: Iterable[CourseName]) -> list[tuple[str, str]]:
    """Return the courses as choices of a form, ended ones last."""
    ended_last = sorted(courses, key=lambda course: course["archived"])
    return [(str(one["id"]), f"{one['name']} (ended)" if one["archived"] else one["name"]) for one in ended_last]


class PercentField(forms.DecimalField):
    """A percent with a decimal point or a decimal comma, with or without its sign, rounded half-up to four decimals.

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
        """Return the number; `87,5 %` is 87.5."""
        if isinstance(value, str):
            value = value.strip().removesuffix("%").rstrip()
            value = value.replace(",", ".") if _COMMA.fullmatch(value) else value
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


def status_of(*shown: forms.Form | None) -> HTTPStatus:
    """Return the status of a page that shows these forms: 422 if one was rejected."""
    rejected = any(form is not None and form.errors for form in shown)
    return HTTPStatus.UNPROCESSABLE_ENTITY if rejected else HTTPStatus.OK


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


def tells_when_busy(view: Page[P]) -> Page[P]:
    """Show a page while files cannot be read. The browser's back button still has the form."""

    @wraps(view)
    def wrapped(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except ReadLater as error:
            text = f"{error.reason} Go back, wait a few seconds, and send the page again."
            return error_page(request, error.status, "One moment, please", text, headers=error.headers)

    return wrapped


def megabytes(size: int) -> str:
    """Return a size like `10 MB`. On the pages 1 MB is 2 to the 20th."""
    return f"{size // 1024**2} MB"


def refusal_in_words(error: ApiError) -> str:
    """Explain in a form why a file was refused. API callers get more about the protocol."""
    if isinstance(error, ReadLater):
        return f"{error.reason} Send this one again in a few seconds."
    if isinstance(error, RateLimited):
        minutes = -(-int(error.headers.get("Retry-After", "60")) // 60)
        return f"You have sent many files. Send this one again in {minutes} minute{'' if minutes == 1 else 's'}."
    return error.details[0]["message"] if error.details else error.message


def with_headers(response: HttpResponse, headers: Mapping[str, str]) -> HttpResponse:
    """Copy the headers of a refusal, like `Retry-After`, to `response`."""
    for name, value in headers.items():
        response.headers[name] = value
    return response


def file_field(accept: str) -> forms.FileField:
    """Return the field for a file.

    Args:
        accept: types and extensions that the browser's dialog shows first.
    """
    return forms.FileField(
        label="File",
        widget=forms.FileInput(attrs={"accept": accept}),
        error_messages={
            "required": "Choose a file.",
            "empty": "This file is empty. Choose another file.",
            "missing": "Choose a file.",
            "invalid": "Choose a file.",
        },
    )


class FileForm(forms.Form):
    """A form with one file, in the field `file`.

    Attributes:
        max_bytes: most bytes of the file.
    """

    max_bytes: int
    use_required_attribute = False

    def clean_file(self) -> TemporaryUploadedFile:
        sent: TemporaryUploadedFile = self.cleaned_data["file"]
        if (sent.size or 0) > self.max_bytes:
            raise forms.ValidationError(f"This file is too large. The limit is {megabytes(self.max_bytes)}.")
        return sent

    def sent(self) -> UploadedFile:
        """Return the file of a valid form, with a descriptor. It is closed with the request."""
        sent: TemporaryUploadedFile = self.cleaned_data["file"]
        if sent.file is None:
            raise TypeError("a file that came has no file")
        sent.file.flush()
        return UploadedFile(sent.file, sent.name or "", sent.size or 0)

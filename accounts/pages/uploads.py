"""File uploads through forms."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Concatenate, ParamSpec

from django import forms
from django.core.files.uploadedfile import TemporaryUploadedFile
from django.http import HttpRequest, HttpResponse

from studyservice.http.error_pages import error_page
from studyservice.operations.errors import ApiError, RateLimited
from studyservice.operations.uploads import UploadedFile
from studyservice.reading.process import ReadLater

Arguments = ParamSpec("Arguments")
View = Callable[Concatenate[HttpRequest, Arguments], HttpResponse]


def tells_when_busy(view: View[Arguments]) -> View[Arguments]:
    """Show a page while files cannot be read. The browser's back button still has the form."""

    @wraps(view)
    def wrapped(request: HttpRequest, /, *args: Arguments.args, **kwargs: Arguments.kwargs) -> HttpResponse:
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

"""The forms in which a member sends a syllabus."""

from collections.abc import Mapping
from http import HTTPStatus
from uuid import UUID

from django import forms
from django.conf import settings
from django.http import HttpRequest, HttpResponse, QueryDict

from accounts.models import Member
from accounts.pages.forms import FileForm, file_field, refusal_in_words
from courses.model_reading.readings import MODEL, MOST_A_DAY, RULES, TooManyReadings
from courses.models import MAX_SYLLABUS_CHARACTERS
from courses.syllabi.reading.tidy import tidied
from courses.uploads.rows import MAX_BYTES, charged
from courses.uploads.serializers import SyllabusDetailRow
from courses.uploads.uploading import create_syllabus
from studyservice.http.error_pages import error_page, is_members_form, sent_back
from studyservice.language_model import LanguageModel
from studyservice.operations.errors import ApiError, Conflict, InvalidRequest, RateLimited
from studyservice.operations.uploads import Upload
from studyservice.rates.limiter import require_rate
from studyservice.reading.process import ReadLater
from studyservice.rows.access import Access

UPLOAD = Upload(MAX_BYTES)
"""For a file. A text of 500,000 characters with its table is smaller."""

WRONG = HTTPStatus.UNPROCESSABLE_ENTITY


def gone(request: HttpRequest) -> HttpResponse:
    """The 404 page of an upload that has expired or never existed, with what was typed if its table was sent."""
    title = "File not found"
    text = "We delete a file after a day unless it was added to a course. Upload it again under Courses."
    if is_members_form(request):
        return sent_back(request, HTTPStatus.NOT_FOUND, title, text)
    return error_page(request, HTTPStatus.NOT_FOUND, title, text)


class TextForm(forms.Form):
    """A pasted syllabus text."""

    use_required_attribute = False

    text = forms.CharField(
        label="Or paste its text",
        widget=forms.Textarea(attrs={"rows": 8, "autocomplete": "off"}),
        error_messages={"required": "Choose a file, or paste the text of the syllabus."},
    )

    def clean_text(self) -> str:
        text = tidied(self.cleaned_data["text"])
        if len(text) > MAX_SYLLABUS_CHARACTERS:
            raise forms.ValidationError(f"This has {len(text):,} characters; the limit is {MAX_SYLLABUS_CHARACTERS:,}.")
        return text


class SyllabusFileForm(FileForm):
    """The file of a syllabus."""

    max_bytes = MAX_BYTES
    file = file_field(".pdf,.docx,.odt,.html,.htm,.md,.txt")


class ModelForm(forms.Form):
    """The choice to let the operator's model read the syllabus."""

    model = forms.BooleanField(required=False)

    def __init__(self, model: LanguageModel, data: QueryDict | None) -> None:
        """Label the choice with the model's name."""
        super().__init__(data)
        field = self.fields["model"]
        field.label, field.help_text = f"Read it with {model.label}", f"The text is sent to {model.label}."
        field.widget.attrs["aria-describedby"] = "id_model_helptext"

    def refuse(self, error: TooManyReadings) -> None:
        """Show that the member's readings are used up."""
        hours = -(-int(error.headers["Retry-After"]) // 3600)
        wait = "1 hour" if hours == 1 else f"{hours} hours"
        self.add_error("model", f"You have used your {MOST_A_DAY} readings of 24 hours. Untick it, or wait {wait}.")


def is_approval(request: HttpRequest) -> bool:
    """True if the post approves the table."""
    return "approve" in request.POST


class SentSyllabus:
    """A syllabus sent as a file or a text. If both are sent, the file counts.

    Attributes:
        text: the pasted text; None if there is none or it is invalid.
        status: of the page that asks again.
        headers: of that page.
    """

    def __init__(self, request: HttpRequest, member: Member) -> None:
        """Validate the sent data. A text sent for the first time counts toward the rate limit, like a file when it is
        read.
        """
        is_sent = request.method == "POST"
        is_file = is_sent and "file" in request.FILES
        self.file_form = SyllabusFileForm(request.POST, request.FILES) if is_file else SyllabusFileForm()
        self.text_form = TextForm(request.POST) if is_sent and not is_file else TextForm(initial=request.POST)
        is_text = self.text_form.is_bound and self.text_form.is_valid()
        self.text: str | None = self.text_form.cleaned_data["text"] if is_text else None
        model: LanguageModel | None = settings.SYLLABUS_MODEL
        self.model_form = None if model is None else ModelForm(model, request.POST if is_sent else None)
        ticked = self.model_form is not None and self.model_form.is_valid() and self.model_form.cleaned_data["model"]
        self._reader = MODEL if ticked else RULES
        self._stored_text: str | None = None
        if ticked and not is_approval(request):  # the model reads what is stored
            self._stored_text, self.text = self.text, None
        self.status = WRONG if is_sent else HTTPStatus.OK
        self.headers: Mapping[str, str] = {}
        if self.text is not None and not is_approval(request):
            try:
                require_rate(*charged(Access(member)))
            except RateLimited as error:
                self.refuse_text(error)

    @property
    def has_errors(self) -> bool:
        """True if a field is invalid."""
        return bool(self.file_form.errors or self.text_form.errors or (self.model_form and self.model_form.errors))

    def upload(self, member: Member, course_id: UUID | None = None) -> SyllabusDetailRow | None:
        """The stored and read file, or text for the model; None if there is none or it was rejected, which the page
        shows.

        Raises:
            NotFound: the member was deleted.
        """
        form, field = (self.file_form, "file") if self._stored_text is None else (self.text_form, "text")
        if not form.is_bound or not form.is_valid():
            return None
        file = self.file_form.sent() if self._stored_text is None else None
        try:
            return create_syllabus(
                Access(member), file, text=self._stored_text, course_id=course_id, reader=self._reader
            )[0]
        except (InvalidRequest, RateLimited, Conflict, ReadLater) as error:
            self._refuse(form, field, error)
            return None

    def refuse_text(self, error: ApiError) -> None:
        """Ask for the text again, with the text kept in its field."""
        self.text = None
        self._refuse(self.text_form, "text", error)

    def _refuse(self, form: forms.Form, field: str, error: ApiError) -> None:
        if isinstance(error, TooManyReadings) and self.model_form is not None:
            self.model_form.refuse(error)
        else:
            form.add_error(field, refusal_in_words(error))
        self.status, self.headers = error.status, error.headers

"""The forms of a course from a syllabus."""

from collections.abc import Mapping
from decimal import Decimal
from functools import cached_property
from http import HTTPStatus
from typing import Any, cast
from uuid import UUID

from django import forms
from django.conf import settings
from django.http import HttpRequest, HttpResponse, QueryDict

from accounts.models import Member
from accounts.pages.forms import NumberField
from accounts.pages.uploads import FileForm, file_field, refusal_in_words
from accounts.rows.access import Access
from courses.courses import create_course
from courses.entry_serializers import (
    MAX_CATEGORIES,
    CategoryEntryBody,
    CategoryEntryFields,
    CourseItemFields,
    CreatedCourseRow,
)
from courses.model_reading.readings import MODEL, MOST_A_DAY, RULES, TooManyReadings
from courses.models import MAX_SYLLABUS_CHARACTERS
from courses.pages.course_forms import TOO_LONG, CourseForm
from courses.pages.review import Review
from courses.syllabi.reading.tidy import tidied
from courses.syllabus_rows import FOUND_WORDS, general_cautions, new_rows
from courses.uploads.counting import count_upload
from courses.uploads.rows import MAX_BYTES
from courses.uploads.serializers import ProposalRow, ProposedCategoryRow, SyllabusDetailRow
from courses.uploads.uploading import create_syllabus
from studyservice.http.error_pages import error_page, is_members_form, sent_back
from studyservice.language_model import LanguageModel
from studyservice.operations.errors import ApiError, Conflict, InvalidRequest, RateLimited
from studyservice.operations.uploads import Upload
from studyservice.reading.process import ReadLater
from studyservice.templatetags.site import number

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
                count_upload(Access(member))
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


_CATEGORY: Mapping[str, Any] = CategoryEntryBody.shared(partial=False).fields
_NAME = _CATEGORY["name"]


class WeightForm(forms.Form):
    """A category of the grade. Unselected ones cannot be invalid."""

    use_required_attribute = False

    tick = forms.BooleanField(required=False)
    name = forms.CharField(
        max_length=_NAME.max_length,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        error_messages={"required": "Enter a name.", "max_length": TOO_LONG},
    )
    weight = NumberField(least=0, most=100, error_messages={"required": "Enter a weight."})

    def __init__(self, place: int, proposed: ProposedCategoryRow, data: QueryDict | None) -> None:
        """Bind the fields to the sent data, if any."""
        ticked = place < MAX_CATEGORIES and not proposed["doubt"]
        initial = {"tick": ticked, "name": proposed["name"], "weight": number(proposed["weight"])}
        super().__init__(data, prefix=f"c{place}", initial=initial)
        self.line = proposed["line"]
        self.note = f"Not ticked: {proposed['doubt']}." if proposed["doubt"] else ""
        self.word = FOUND_WORDS[proposed["evidence"]] if proposed["evidence"] and not proposed["doubt"] else ""
        self.fields["tick"].widget.attrs["aria-label"] = f"Add “{proposed['name']}”"
        for name, label in (("name", "Name"), ("weight", "Weight in percent")):
            attrs = self.fields[name].widget.attrs
            attrs["aria-label"] = f"{label} of “{proposed['name']}”"
            if name in self.errors:
                attrs |= {"aria-invalid": "true", "aria-describedby": self.errors_id}

    @property
    def errors_id(self) -> str:
        """The id of the element with the errors of the row."""
        return f"{self.prefix}-errors"

    def full_clean(self) -> None:
        """Validate, except unselected categories."""
        super().full_clean()
        if self.is_bound and not self.cleaned_data.get("tick"):
            self._errors = forms.utils.ErrorDict()


class NewCourse:
    """The approved parts of a syllabus: the course, its items, and the weights of its grade.

    Args:
        proposal: the proposal of the syllabus.
        data: the sent data; None if it is shown for the first time.
    """

    def __init__(self, proposal: ProposalRow, data: QueryDict | None = None) -> None:
        self.course = CourseForm(data, initial=dict(proposal["course"]))
        self.review = Review(new_rows(proposal), data, can_add=True)
        sent = data if self.review.was_sent else None
        self.weights = [WeightForm(place, one, sent) for place, one in enumerate(proposal["grade_categories"])]
        self.cautions = general_cautions(proposal)

    def is_valid(self) -> bool:
        """True if nothing is invalid."""
        return self.course.is_valid() and self.review.is_valid() and not self.has_errors

    @property
    def has_errors(self) -> bool:
        """True if a field is invalid."""
        wrong = bool(self.course.errors) or self.review.has_errors or any(form.errors for form in self.weights)
        return wrong or bool(self.too_many_weights)

    @cached_property
    def too_many_weights(self) -> str:
        """The error if too many categories are selected."""
        ticked = [form for form in self.weights if form.is_bound and form.cleaned_data.get("tick")]
        return f"A grade has at most {MAX_CATEGORIES} categories; untick some." if len(ticked) > MAX_CATEGORIES else ""

    def make(self, member: Member, *, text: str | None, syllabus_id: UUID | None) -> CreatedCourseRow:
        """Create the course from a text or from an uploaded file.

        Raises:
            Conflict: there would be too many courses or items.
        """
        fields = self.course.fields_given()
        fields["syllabus_text"], fields["syllabus_id"] = text, syllabus_id
        fields["items"] = cast("list[CourseItemFields]", [one.item for one in self.review.approved])
        fields["grade_categories"] = self._categories()
        return create_course(Access(member), **fields)

    @property
    def taken(self) -> str:
        """A summary of what was approved."""
        items, weights = len(self.review.approved), len(self._categories())
        told = f"{items} deadline{'' if items == 1 else 's'}"
        return f"{told} and {weights} grade categor{'y' if weights == 1 else 'ies'}" if weights else told

    def _categories(self) -> list[CategoryEntryFields]:
        taken = [form.cleaned_data for form in self.weights if form.cleaned_data["tick"]]
        return [{"name": one["name"], "weight": Decimal(one["weight"])} for one in taken]

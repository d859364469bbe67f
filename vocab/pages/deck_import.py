"""Importing flashcards from a file: a table, or an Anki export."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from accounts.models import Member
from accounts.pages.signed_in import FORM, for_active_members
from accounts.pages.uploads import FileForm, file_field, megabytes, refusal_in_words, with_headers
from accounts.rows.access import Access
from studyservice.http.forms import takes_file
from studyservice.operations.errors import ApiError, ValidationFailed
from studyservice.operations.uploads import Upload
from vocab.decks import list_vocab_decks
from vocab.importing import MAX_FILE, import_vocab_decks
from vocab.pages.forms import TOO_LONG, course_field
from vocab.serializers import MAX_DECK_NAME, DeckRow

MAX_ERRORS = 20
"""Maximum number of invalid rows on the page. Files with more need a general fix."""


class DeckFileForm(FileForm):
    """The form for a file of cards."""

    max_bytes = MAX_FILE

    file = file_field(".csv,.tsv,.txt,.apkg,text/csv,text/tab-separated-values")
    name = forms.CharField(
        label="Deck name",
        required=False,
        max_length=MAX_DECK_NAME,
        help_text="Defaults to the file name. Several decks in one file keep their own names.",
        error_messages={"max_length": TOO_LONG},
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    merge = forms.BooleanField(
        label="Add to a deck of the same name",
        required=False,
        help_text="Adds new terms. Existing terms get the new definition and keep their schedule.",
    )

    def __init__(self, sent: HttpRequest | None = None, *, member: Member) -> None:
        """Bind the form to the sent data, if any."""
        super().__init__(None if sent is None else sent.POST, None if sent is None else sent.FILES)
        self.fields["course_id"] = course_field(Access(member))


@for_active_members(FORM)
@takes_file(Upload(MAX_FILE))
def import_decks(request: HttpRequest, member: Member) -> HttpResponse:
    """Ask for a file on GET. A post of a file creates decks and lists them."""
    if request.method != "POST":
        decks = list_vocab_decks(Access(member), include_cards=False)
        return _page(request, DeckFileForm(member=member), decks=decks)
    form = DeckFileForm(request, member=member)
    if not form.is_valid():
        return _page(request, form, HTTPStatus.UNPROCESSABLE_ENTITY)
    given, sent = form.cleaned_data, form.sent()
    try:
        told, _ = import_vocab_decks(
            Access(member),
            sent.file,
            sent.filename,
            name=given["name"] or None,
            course_id=given["course_id"],
            if_exists="merge" if given["merge"] else "create",
        )
    except ValidationFailed as error:
        for detail in (error.details or [])[:MAX_ERRORS]:
            form.add_error("file", detail["message"])
        return _page(request, form, error.status)
    except ApiError as error:
        form.add_error("file", refusal_in_words(error))
        return _page(request, form, error.status, error.headers)
    return render(request, "vocab/decks_imported.html", {"told": told})


def _page(
    request: HttpRequest,
    form: DeckFileForm,
    status: HTTPStatus = HTTPStatus.OK,
    headers: Mapping[str, str] | None = None,
    decks: Sequence[DeckRow] = (),
) -> HttpResponse:
    context = {"form": form, "most": megabytes(MAX_FILE), "decks": decks}
    return with_headers(render(request, "vocab/deck_import.html", context, status=status), headers or {})

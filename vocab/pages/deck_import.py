"""Importing flashcards from a file: a table, or an Anki export."""

from http import HTTPStatus

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from accounts.models import Member
from accounts.pages.forms import FileForm, file_field, megabytes, refusal_in_words, with_headers
from accounts.pages.signed_in import FORM, for_active_members
from studyservice.http.forms import takes_file
from studyservice.operations.errors import ApiError, ValidationFailed
from studyservice.operations.uploads import Upload
from studyservice.rows.access import Access
from vocab.deck_files import MAX_FILE, import_vocab_decks
from vocab.decks import list_vocab_decks
from vocab.pages.forms import TOO_LONG, course_field
from vocab.serializers import MAX_DECK_NAME

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
    form = DeckFileForm(request if request.method == "POST" else None, member=member)
    status, headers = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK, {}
    if form.is_valid():
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
            status = error.status
        except ApiError as error:
            form.add_error("file", refusal_in_words(error))
            status, headers = error.status, error.headers
        else:
            messages.success(request, f"{told['cards']} card{'' if told['cards'] == 1 else 's'} imported.")
            return render(request, "vocab/decks_imported.html", {"told": told})
    decks = [] if form.is_bound else list_vocab_decks(Access(member), include_cards=False)
    context = {"form": form, "most": megabytes(MAX_FILE), "decks": decks}
    return with_headers(render(request, "vocab/deck_import.html", context, status=status), headers)

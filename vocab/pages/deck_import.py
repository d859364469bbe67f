"""Importing flashcards from a file, a table or an Anki export, or from pasted rows."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any

from django import forms
from django.contrib import messages
from django.core.files.uploadedfile import TemporaryUploadedFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from accounts.models import Member
from accounts.pages.forms import FileForm, LinesField, file_field, megabytes, refusal_in_words, with_headers
from accounts.pages.signed_in import FORM, for_active_members
from studyservice.http.forms import takes_file
from studyservice.operations.errors import ApiError, ValidationFailed
from studyservice.operations.fields import parse_uuid
from studyservice.operations.uploads import Upload, UploadedFile
from studyservice.rows.access import Access
from vocab.deck_files import MAX_FILE, import_vocab_decks
from vocab.decks import list_vocab_decks
from vocab.pages.forms import TOO_LONG, UNNAMED, course_field
from vocab.serializers import MAX_DECK_NAME, DeckRow

MAX_ERRORS = 20
"""Maximum number of invalid rows on the page. Files with more need a general fix."""


MAX_PASTED = 500_000
"""Maximum number of pasted characters."""


class DeckFileForm(FileForm):
    """The form for a file of cards, or for pasted rows. If both are sent, the file counts."""

    max_bytes = MAX_FILE

    file = file_field(".csv,.tsv,.txt,.apkg,text/csv,text/tab-separated-values")
    text = LinesField(
        label="Or paste rows",
        required=False,
        strip=False,  # an empty term before a tab must not hide
        max_length=MAX_PASTED,
        help_text="Each row has a term, a tab or semicolon, and the definition.",
        error_messages={"max_length": TOO_LONG},
        widget=forms.Textarea(attrs={"rows": 5, "autocomplete": "off"}),
    )
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
        self.fields["file"].required = False

    def clean_file(self) -> TemporaryUploadedFile | None:  # type: ignore[override]  # pasted rows come without one
        return super().clean_file() if self.cleaned_data["file"] else None

    def clean(self) -> dict[str, Any]:
        """Require a file, or rows with the name of their deck."""
        given = self.cleaned_data
        if not given.get("file", True) and "text" in given:
            if not given["text"].strip():
                self.add_error("file", "Choose a file, or paste rows.")
            elif not given.get("name", True):
                self.add_error("name", UNNAMED)
        return given

    @property
    def source(self) -> str:
        """The field with the cards."""
        return "file" if self.cleaned_data.get("file") else "text"

    @contextmanager
    def opened(self) -> Iterator[UploadedFile]:
        """Open the file, or the pasted rows as one."""
        if self.cleaned_data["file"]:
            yield self.sent()
            return
        with tempfile.TemporaryFile() as pasted:
            size = pasted.write(self.cleaned_data["text"].encode())
            pasted.flush()
            yield UploadedFile(pasted, "", size)


def _chosen(request: HttpRequest, decks: list[DeckRow]) -> dict[str, Any]:
    """The initial values for the deck or the course that the page came from."""
    deck = next((deck for deck in decks if deck["id"] == parse_uuid(request.GET.get("deck"))), None)
    if deck is None:
        return {"course_id": request.GET.get("course", "")}
    return {"name": deck["name"], "course_id": deck["course_id"], "merge": True}


@for_active_members(FORM)
@takes_file(Upload(MAX_FILE))
def import_decks(request: HttpRequest, member: Member) -> HttpResponse:
    """Ask for a file or rows on GET. A post of them creates decks and lists them."""
    form = DeckFileForm(request if request.method == "POST" else None, member=member)
    status, headers = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK, {}
    if form.is_valid():
        given = form.cleaned_data
        try:
            with form.opened() as sent:
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
                form.add_error(form.source, detail["message"])
            status = error.status
        except ApiError as error:
            form.add_error(form.source, refusal_in_words(error))
            status, headers = error.status, error.headers
        else:
            messages.success(request, f"{told['cards']} card{'' if told['cards'] == 1 else 's'} imported.")
            return render(request, "vocab/decks_imported.html", {"told": told})
    decks = [] if form.is_bound else list_vocab_decks(Access(member), include_cards=False)
    form.initial = _chosen(request, decks)
    context = {"form": form, "most": megabytes(MAX_FILE), "decks": decks}
    return with_headers(render(request, "vocab/deck_import.html", context, status=status), headers)

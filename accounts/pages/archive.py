"""Export, import and erase all data of a member."""

from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth import logout
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.template.loader import render_to_string

from accounts import mail
from accounts.erasure.erasing import erase_member
from accounts.events import all_events
from accounts.members.membership import standing
from accounts.members.models import Member
from accounts.pages.account_forms import ArchiveForm, ErasureForm
from accounts.pages.forms import status_of
from accounts.pages.signed_in import FORM, POST, for_members
from studyservice.archive.exporting import export_data
from studyservice.archive.importing import UPLOAD, import_data
from studyservice.changes.words import counts_in_words
from studyservice.http.bodies import download_response
from studyservice.http.error_pages import error_page
from studyservice.http.forms import takes_file
from studyservice.operations.errors import ApiError, RateLimited, ValidationFailed

ERASURE_SECONDS = 20.0
"""How long a browser waits for an erasure. A longer one is completed by `purgeexpired`."""


@for_members(POST)
def export_archive(request: HttpRequest, member: Member) -> HttpResponseBase:
    """Return the archive as a download. Open to lapsed members too."""
    try:
        return download_response(export_data(member, account_events=all_events(member)), 200)
    except RateLimited as error:
        return error_page(
            request, error.status, "Too many archives", "You can export ten an hour.", headers=error.headers
        )


@for_members(FORM)
@takes_file(UPLOAD)
def import_archive(request: HttpRequest, member: Member) -> HttpResponse:
    """Ask for an archive on GET, and import it on POST."""
    if not member.membership_is_active():
        return render(request, "accounts/import_archive.html", {"standing": standing(member)}, status=403)
    form = ArchiveForm(request.POST, request.FILES) if request.method == "POST" else ArchiveForm()
    if request.method != "POST" or not form.is_valid():
        return _import_page(request, member, form)
    return _import(request, member, form)


def _import(request: HttpRequest, member: Member, form: ArchiveForm) -> HttpResponse:
    sent: UploadedFile[Any] = form.cleaned_data["file"]
    if sent.file is None:  # the form's upload handler opens the file
        raise TypeError("a file that came has no file")
    sent.file.flush()
    try:
        taken = import_data(member, sent.file)
    except ValidationFailed as error:
        form.add_error("file", "Nothing was imported: some lines are invalid.")
        wrong = [detail["message"] for detail in error.details or []]
        return _import_page(request, member, form, wrong=wrong)
    except ApiError as error:
        form.add_error("file", error.message)
        return _import_page(request, member, form)
    words = counts_in_words(taken["counts"]) or "your profile, the only thing in it"
    messages.success(request, f"Your archive was imported: {words}.")
    return redirect("account")


def _import_page(
    request: HttpRequest, member: Member, form: forms.Form, wrong: list[str] | None = None
) -> HttpResponse:
    context = {"form": form, "standing": standing(member), "wrong": wrong or []}
    return render(request, "accounts/import_archive.html", context, status=status_of(form))


@for_members(FORM)
def erase(request: HttpRequest, member: Member) -> HttpResponse:
    """Offer the archive and ask for the address on GET. Delete the member on POST."""
    form = ErasureForm(request.POST if request.method == "POST" else None, member=member)
    if request.method != "POST" or not form.is_valid():
        return render(request, "accounts/erase.html", {"form": form}, status=status_of(form))
    all_gone = erase_member(member.id, seconds=ERASURE_SECONDS)
    logout(request)
    mail.post(
        mail.new_message("Your account was deleted", render_to_string("accounts/email/erased.txt", {}), [member.email])
    )
    messages.success(
        request,
        "Your account and everything in it is deleted."
        if all_gone
        else "Your account is closed. It holds a lot of data, which will be deleted within a day.",
    )
    return redirect("sign-in")

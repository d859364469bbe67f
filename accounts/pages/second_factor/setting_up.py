"""Set up, add and remove second factors, and show recovery codes once."""

from typing import Any
from uuid import UUID

import segno
from django.conf import settings
from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.safestring import mark_safe
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts.members.models import Member
from accounts.pages.attempts import attempts_are_counted
from accounts.pages.second_factor.asking import AppCodeForm, NewPasskeyForm, for_changes
from accounts.signing_in.models import AuthenticatorApp, Passkey
from accounts.signing_in.second_factor import factors, gate
from accounts.signing_in.second_factor.factors import seal, unseal
from accounts.signing_in.sessions import BROWSER

_APP = "second_factor_app"
"""Session entry: the encrypted secret of an app that is being set up."""

_CHALLENGE = "new_passkey_challenge"
"""Session entry: the challenge for a passkey that is being created."""


@for_changes
@require_http_methods(["GET", "HEAD"])
def set_up(request: HttpRequest, member: Member) -> HttpResponse:
    """List the existing second factors, and those that can be added."""
    kept = factors.kept_of(member)
    context = {
        "kept": kept,
        "possible": factors.passkeys_possible(),
        "full": len(kept.passkeys) >= factors.MOST_PASSKEYS,
        "required": settings.ADMIN_SECOND_FACTOR == "required",
    }
    return render(request, "accounts/second_factor_set_up.html", context)


@sensitive_post_parameters("code")
@for_changes
@require_http_methods(["GET", "HEAD", "POST"])
@attempts_are_counted
def set_up_app(request: HttpRequest, member: Member) -> HttpResponse:
    """Show the secret, as text and as a QR code. The app's first code confirms that it has the secret."""
    secret = unseal(request.session.get(_APP, ""))
    form = AppCodeForm(request.POST if request.method == "POST" and secret else None)
    if secret is None:
        secret = factors.new_secret()
        request.session[_APP] = seal(secret)
    if form.is_valid():
        if factors.enrol_app(member, secret, form.cleaned_data["code"]):
            del request.session[_APP]
            return _added(request, member, "an authenticator app")
        form.add_error("code", "Wrong or used code. Check that the clock on your device is right.")
    uri = factors.enrolment_uri(member, secret)
    # An `<svg>` without styles, which a strict policy allows. Black on white in dark mode too.
    drawn = segno.make_qr(uri).svg_inline(omitsize=True, light="#fff")
    qr_code = mark_safe(drawn)  # noqa: S308  # nosec B308 B703  # only lines and squares, none of the encoded text
    context = {"form": form, "secret": secret, "uri": uri, "qr_code": qr_code}
    return render(request, "accounts/second_factor_app.html", context)


@for_changes
@require_http_methods(["GET", "HEAD", "POST"])
@attempts_are_counted
def set_up_passkey(request: HttpRequest, member: Member) -> HttpResponse:
    """Let the browser create a passkey, which the script posts."""
    if not factors.passkeys_possible():
        return redirect("second-factor-set-up")
    from accounts.signing_in.second_factor import ceremonies  # noqa: PLC0415  # loads a large library that is rarely needed

    initial = {"name": request.session.get(BROWSER) or "Passkey"}
    form = NewPasskeyForm(request.POST if request.method == "POST" else None, initial=initial)
    challenge = request.session.pop(_CHALLENGE, "")
    if form.is_valid():
        given = form.cleaned_data
        if challenge and ceremonies.enrol(member, given["name"], given["passkey"], challenge):
            return _added(request, member, f"the passkey “{given['name']}”")
        form.add_error(None, "The passkey was not accepted. Try again, or use an authenticator app.")
    ceremony = ceremonies.ask_for_new(member)
    request.session[_CHALLENGE] = ceremony.challenge
    return render(request, "accounts/second_factor_passkey.html", {"form": form, "ceremony": ceremony})


def _added(request: HttpRequest, member: Member, what: str) -> HttpResponse:
    """Record the new factor as proof. The first one comes with recovery codes."""
    gate.give(request)
    factors.note(member, f"Second factor: added {what}.")
    factors.tell(member, f"has {what} now")
    if not factors.recovery_codes_left(member):
        return _codes_page(request, member)
    messages.success(request, f"Added: {what}.")
    return redirect("second-factor-set-up")


@for_changes
@require_http_methods(["POST"])
def new_recovery_codes(request: HttpRequest, member: Member) -> HttpResponse:
    """Create new recovery codes and show them once. Older codes stop working."""
    if not gate.has_one(member):
        return redirect("second-factor-set-up")
    factors.note(member, "Second factor: new recovery codes.")
    factors.tell(member, "has new recovery codes", "Your old codes no longer work.")
    return _codes_page(request, member)


def _codes_page(request: HttpRequest, member: Member) -> HttpResponse:
    return render(request, "accounts/second_factor_codes.html", {"codes": factors.new_recovery_codes(member)})


@for_changes
@require_http_methods(["POST"])
def remove_app(request: HttpRequest, member: Member) -> HttpResponse:
    """Remove the authenticator app."""
    return _removed(request, member, AuthenticatorApp.objects.all(), "the authenticator app")


@for_changes
@require_http_methods(["POST"])
def remove_passkey(request: HttpRequest, member: Member, passkey_id: UUID) -> HttpResponse:
    """Remove a passkey."""
    return _removed(request, member, Passkey.objects.filter(id=passkey_id), "a passkey")


def _removed(request: HttpRequest, member: Member, rows: QuerySet[Any], what: str) -> HttpResponse:
    try:
        removed = factors.remove(member, rows)
    except factors.LastOne:
        messages.warning(request, "The admin requires a second factor. Add another before you remove this one.")
        return redirect("second-factor-set-up")
    if removed:
        factors.note(member, f"Second factor: removed {what}.")
        factors.tell(member, f"lost {what}")
        messages.success(request, f"Removed: {what}.")
    return redirect("second-factor-set-up")

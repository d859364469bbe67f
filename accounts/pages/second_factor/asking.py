"""Ask operators for the second factor before they open the admin or change the factor; without one, for a code."""

from functools import wraps
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.signals import user_login_failed
from django.core.exceptions import PermissionDenied
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts.members.models import Member
from accounts.pages.account_forms import CodeForm
from accounts.pages.attempts import attempts_are_counted, too_many_codes
from accounts.pages.forms import name_field
from accounts.pages.sign_in import target_after
from accounts.pages.signed_in import MemberView, P, View, signed_in
from accounts.signing_in.codes import SECOND_FACTOR, send_code, try_proof
from accounts.signing_in.models import Passkey
from accounts.signing_in.second_factor import factors, gate
from accounts.signing_in.second_factor.factors import Kept
from studyservice.http.error_pages import too_many
from studyservice.rates.limiter import DoublingWait, Rate


class AppCodeForm(CodeForm):
    """A code of an authenticator app."""

    source = "app"

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)
        self.fields["code"].error_messages["required"] = "Enter the six digits that the app shows."


class RecoveryForm(forms.Form):
    """A recovery code."""

    recovery = forms.CharField(
        label="Recovery code",
        max_length=60,
        error_messages={"required": "Enter one of your recovery codes."},
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}),
    )


class PasskeyForm(forms.Form):
    """A passkey's signature, which the script fills in."""

    passkey = forms.CharField(
        widget=forms.HiddenInput,
        error_messages={"required": "No passkey received. Try again, or choose another way."},
    )


class NewPasskeyForm(PasskeyForm):
    """A new passkey with a name."""

    name = name_field(
        "passkey",
        Passkey._meta.get_field("name").max_length,
        "A name you will recognize, like “Work laptop” or “Blue security key”.",
    )


def for_operators(view: MemberView[P]) -> View[P]:
    """Decorate a page for operators. Others are asked to sign in. The view is called with the member.

    404 if a proxy asks for the second factor; 403 for members who are not operators.
    """

    @never_cache
    @login_required
    @wraps(view)
    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if settings.ADMIN_SECOND_FACTOR == "proxy":
            raise Http404
        member = signed_in(request)
        if not member.is_staff:
            raise PermissionDenied
        return view(request, member, *args, **kwargs)

    return guarded


def for_changes(view: MemberView[P]) -> View[P]:
    """Decorate a page that changes the second factor. It needs a recent proof: the factor or, without one, a code.

    Without it, redirect to the proof. A posted form is lost.
    """

    @for_operators
    @wraps(view)
    def guarded(request: HttpRequest, member: Member, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        return _first(request, member, "second-factor-set-up") or view(request, member, *args, **kwargs)

    return guarded


def before_change(request: HttpRequest, member: Member, page: str) -> HttpResponse | None:
    """Return the page for the proof before an operator changes the address, where setup codes are sent, or an identity.

    None if no proof is needed: for other members, where a proxy asks, and in a trial.

    Args:
        page: the URL name of the page of the change.
    """
    if not member.is_staff or settings.ADMIN_SECOND_FACTOR != "required":
        return None
    return _first(request, member, page)


def _first(request: HttpRequest, member: Member, then: str) -> HttpResponse | None:
    """Redirect to the second factor or, without one, to a code. None if it was given recently."""
    if gate.may_change(request):
        return None
    if gate.has_one(member):
        asks = "second-factor"
    elif not gate.may_begin(request):
        asks = "second-factor-proof"
    else:
        return None
    return redirect(reverse(asks, query={"next": reverse(then)}))


_PENDING = "second_factor_code"
"""Session entry: the id of the code that was sent."""


@sensitive_post_parameters("code")
@for_operators
@require_http_methods(["GET", "HEAD", "POST"])
@attempts_are_counted
def second_factor_proof(request: HttpRequest, member: Member) -> HttpResponse:
    """Send a code on a POST without one. A POST with a code continues to `next`, or to the setup."""
    target = target_after(request, "second-factor-set-up")
    if request.method == "POST" and "code" not in request.POST:
        if refused := too_many_codes(request, member.email):
            return refused
        request.session[_PENDING] = str(send_code(member.email, SECOND_FACTOR))
        return redirect(reverse("second-factor-proof", query={"next": target}))
    pending = request.session.get(_PENDING)
    form = CodeForm(request.POST if request.method == "POST" and pending else None)
    usable = pending is not None
    if form.is_valid():
        refusal = try_proof(member, UUID(pending), form.cleaned_data["code"])
        if refusal is None:
            del request.session[_PENDING]
            gate.note_code(request)
            return HttpResponseRedirect(target)
        usable = form.refuse(refusal)
        if not usable:
            del request.session[_PENDING]
    context = {"form": form, "email": member.email, "usable": usable, "next": target}
    return render(request, "accounts/second_factor_proof.html", context)


_CHALLENGE = "passkey_challenge"
"""Session entry: the challenge for a passkey."""

_FORMS: dict[str, type[Form]] = {"passkey": PasskeyForm, "code": AppCodeForm, "recovery": RecoveryForm}
"""Forms by their field."""

_WRONG = {
    "passkey": "The passkey was not accepted. Try again, or choose another way below.",
    "code": "Wrong or used code. Wait for the next one in the app.",
    "recovery": "Wrong or used recovery code.",
}


@sensitive_post_parameters(*_FORMS)
@for_operators
@require_http_methods(["GET", "HEAD", "POST"])
@attempts_are_counted
def second_factor(request: HttpRequest, member: Member) -> HttpResponse:
    """Show a form for each method. Without a method, redirect to the setup."""
    kept = factors.kept_of(member)
    if not kept:
        return redirect("second-factor-set-up")
    if request.method == "POST":
        return _try(request, member, kept)
    return _continue(request) if gate.may_change(request) else _page(request, member, kept)


def _try(request: HttpRequest, member: Member, kept: Kept) -> HttpResponse:
    """Continue if the answer is right. Wrong answers slow down the member in all browsers."""
    way = next((field for field in _FORMS if field in request.POST), "code")
    form = _FORMS[way](request.POST)
    if form.is_valid():
        tries = DoublingWait(Rate.PASSWORDS, f"second-factor:{member.id}")
        if wait := tries.begin():
            return too_many(request, wait, "Too many wrong tries")
        if _is_right(request, member, way, form.cleaned_data[way]):
            tries.forget()
            gate.give(request)
            return _continue(request)
        user_login_failed.send(__name__, credentials={way: "***"}, request=request)
        form.add_error(way, _WRONG[way])
    return _page(request, member, kept, **{way: form})


def _is_right(request: HttpRequest, member: Member, way: str, given: str) -> bool:
    if way == "passkey":
        from accounts.signing_in.second_factor import ceremonies  # noqa: PLC0415  # loads a large library that is rarely needed

        challenge = request.session.pop(_CHALLENGE, "")
        return bool(challenge) and ceremonies.use(member, given, challenge)
    if way == "code":
        return factors.use_code(member, given)
    if not factors.use_recovery_code(member, given):
        return False
    left = factors.recovery_codes_left(member)
    factors.note(member, "Second factor: a recovery code was used.")
    factors.tell(member, "was replaced by a recovery code", f"{left} are left.")
    messages.warning(
        request, f"That code no longer works; {left} are left. If you lost a device, remove it on your account page."
    )
    return True


def _continue(request: HttpRequest) -> HttpResponse:
    return HttpResponseRedirect(target_after(request, "admin:index"))


def _page(request: HttpRequest, member: Member, kept: Kept, **tried: Form) -> HttpResponse:
    ceremony = None
    if kept.passkeys and factors.passkeys_possible():
        from accounts.signing_in.second_factor import ceremonies  # noqa: PLC0415  # loads a large library that is rarely needed

        ceremony = ceremonies.ask_for_one(member)
        request.session[_CHALLENGE] = ceremony.challenge
    context = {
        "kept": kept,
        "ceremony": ceremony,
        "forms": {way: tried.get(way) or form() for way, form in _FORMS.items()},
        "failed": bool(tried),
        "next": target_after(request, "admin:index"),
    }
    return render(request, "accounts/second_factor.html", context)

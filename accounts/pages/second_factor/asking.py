"""Ask for the second factor before opening the admin or changing the factor."""

from django.contrib import messages
from django.contrib.auth.signals import user_login_failed
from django.forms import Form
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts.members.models import Member
from accounts.pages.second_factor.forms import AppCodeForm, PasskeyForm, RecoveryForm
from accounts.pages.second_factor.guards import for_operators
from accounts.pages.sign_in import attempts_are_counted, target_after
from accounts.signing_in.second_factor import authenticator, gate, keeping, passkeys, recovery
from accounts.signing_in.second_factor.keeping import Kept
from studyservice.http.error_pages import too_many
from studyservice.rates.limiter import DoublingWait, Rate

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
    kept = keeping.kept_of(member)
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
        return authenticator.use_code(member, given)
    if not recovery.use_code(member, given):
        return False
    left = recovery.codes_left(member)
    keeping.note(member, "Second factor: a recovery code was used.")
    keeping.tell(member, "was replaced by a recovery code", f"{left} are left.")
    messages.warning(
        request, f"That code no longer works; {left} are left. If you lost a device, remove it on your account page."
    )
    return True


def _continue(request: HttpRequest) -> HttpResponse:
    return HttpResponseRedirect(target_after(request, "admin:index"))


def _page(request: HttpRequest, member: Member, kept: Kept, **tried: Form) -> HttpResponse:
    ceremony = None
    if kept.passkeys and passkeys.possible():
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

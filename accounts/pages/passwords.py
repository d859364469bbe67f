"""Setting, changing and removing one's password."""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts.members.models import Member
from accounts.pages.account_forms import CurrentPasswordForm, NewPasswordForm, PasswordCodeForm
from accounts.pages.known_browsers import attempts_at
from accounts.pages.sign_in import REFUSALS, attempts_are_counted
from accounts.pages.signed_in import signed_in
from accounts.signing_in.codes import Refusal
from accounts.signing_in.passwords import PENDING_PASSWORD, send_password_code, set_password, try_password_code
from accounts.signing_in.sessions import end_other_sessions
from studyservice.http.error_pages import too_many
from studyservice.operations.errors import NotFound
from studyservice.rates.doubling import DoublingWait
from studyservice.rates.limiter import Rate, hit
from studyservice.secrets.hashing import HashingBusy


@never_cache
@sensitive_post_parameters("current_password", "new_password", "code")
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@attempts_are_counted
def password(request: HttpRequest) -> HttpResponse:
    """One form: the new password and, where there is one already, the old one or a code; it can also be removed."""
    member = signed_in(request)
    posted = request.POST if request.method == "POST" else None
    removes = posted is not None and posted.get("do") == "remove"
    new = NewPasswordForm(None if removes else posted, member=member)
    proof = _proof_form(request, member)
    if posted is None:
        return _page(request, member, new, proof)
    if not all(form.is_valid() for form in (new, proof) if form is not None and form.is_bound):
        return _page(request, member, new, proof)
    if isinstance(proof, CurrentPasswordForm) and (refused := _wrong_password(request, member, proof)):
        return refused
    if proof is not None and not _proved(request, member, proof):
        return _page(request, member, new, proof)
    try:
        set_password(member, None if removes else new.cleaned_data["new_password"])
    except NotFound:  # the member was deleted meanwhile, and the session with it
        return redirect("sign-in")
    return _done(request, member, removes=removes)


def _proof_form(request: HttpRequest, member: Member) -> CurrentPasswordForm | PasswordCodeForm | None:
    """What proves who the member is; nothing where there is no password to be changed."""
    if not member.has_usable_password():
        return None
    posted = request.POST if request.method == "POST" else None
    return PasswordCodeForm(posted) if PENDING_PASSWORD in request.session else CurrentPasswordForm(posted)


def _proved(request: HttpRequest, member: Member, proof: CurrentPasswordForm | PasswordCodeForm) -> bool:
    """Whether the password or the code is right; the form says what is wrong."""
    if isinstance(proof, CurrentPasswordForm):
        return not proof.errors
    refusal = try_password_code(member, UUID(request.session[PENDING_PASSWORD]), proof.cleaned_data["code"])
    if refusal is None:
        del request.session[PENDING_PASSWORD]
        return True
    if refusal is not Refusal.WRONG:
        del request.session[PENDING_PASSWORD]
    proof.add_error("code" if refusal is Refusal.WRONG else None, REFUSALS[refusal])
    return False


def _wrong_password(request: HttpRequest, member: Member, proof: CurrentPasswordForm) -> HttpResponse | None:
    """Compare the current password, under the rate of passwords; the form says if it is wrong, a 429 is answered."""
    tries = DoublingWait(Rate.PASSWORDS, attempts_at(request, member.email))
    if wait := tries.begin():
        return too_many(request, wait, "Too many wrong passwords", "Or go back and get a code by e-mail instead.")
    try:
        right = member.check_password(proof.cleaned_data["current_password"])
    except HashingBusy:
        tries.withdraw()
        raise
    if right:
        tries.forget()
    else:
        proof.add_error("current_password", "That is not your current password. Try again, or get a code instead.")
    return None


def _page(
    request: HttpRequest,
    member: Member,
    new: NewPasswordForm,
    proof: CurrentPasswordForm | PasswordCodeForm | None,
) -> HttpResponse:
    context = {
        "new": new,
        "proof": proof,
        "by_code": isinstance(proof, PasswordCodeForm),
        "failed": bool(new.errors or (proof is not None and proof.errors)),
        "email": member.email,
    }
    return render(request, "password.html", context)


def _done(request: HttpRequest, member: Member, *, removes: bool) -> HttpResponse:
    end_other_sessions(request, member)
    what = "Your password is removed: sign in with a code by e-mail." if removes else "Your new password is set."
    messages.success(request, f"{what} Other browsers were signed out; API keys and connected apps go on working.")
    return redirect("account")


@never_cache
@login_required
@require_http_methods(["POST"])
@attempts_are_counted
def password_code(request: HttpRequest) -> HttpResponse:
    """E-mails a code that stands for the current password; or, with `instead`, goes back to asking for that."""
    member = signed_in(request)
    if request.POST.get("instead") == "password":
        request.session.pop(PENDING_PASSWORD, None)
        return redirect("password")
    window = hit(Rate.SIGN_IN_CODES, attempts_at(request, member.email))
    if window.exceeded:
        return too_many(request, window, "Too many codes for this address")
    request.session[PENDING_PASSWORD] = str(send_password_code(member))
    return redirect("password")

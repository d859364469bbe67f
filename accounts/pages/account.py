"""The account page, and its pages for the password and the e-mail address."""

from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.views.decorators.debug import sensitive_post_parameters

from accounts import identities
from accounts.members.membership import standing
from accounts.members.models import Member
from accounts.members.profile import update_me
from accounts.pages.account_forms import CodeForm, NewAddressForm, NewPasswordForm, ProfileForm, TimeZoneForm
from accounts.pages.attempts import TOO_MANY_CODES, attempts_are_counted, remember
from accounts.pages.forms import status_of
from accounts.pages.proof import OF_ADDRESS, OF_PASSWORD, Proof
from accounts.pages.second_factor.asking import before_change
from accounts.pages.sign_in import target_after
from accounts.pages.signed_in import FORM, POST, for_members
from accounts.signing_in.codes import PENDING_ADDRESS, begin_email_change, complete_email_change, set_password
from accounts.signing_in.sessions import end_other_sessions, end_session, end_sessions, sessions_of
from studyservice.http.error_pages import counted, returns_input
from studyservice.identity_provider import IdentityProvider
from studyservice.rates.limiter import Rate
from studyservice.secrets.generated import sha256


@returns_input
@for_members(FORM)
def account(request: HttpRequest, member: Member) -> HttpResponse:
    """Show the page. POST changes the profile. Open to lapsed members too."""
    if request.method != "POST":
        return _page(request, member, ProfileForm(initial=ProfileForm.values_of(member)))
    form = ProfileForm(request.POST)
    if not form.is_valid():
        return _page(request, member, form)
    update_me(member, **form.changes())
    messages.success(request, "Your profile is saved.")
    return redirect("account")


def _page(request: HttpRequest, member: Member, form: ProfileForm) -> HttpResponse:
    provider: IdentityProvider | None = settings.IDENTITY_PROVIDER
    context = {
        "form": form,
        "standing": standing(member),
        "sessions": sessions_of(member, request.session.session_key),
        "time_zone": member.time_zone,
        "second_factor": settings.ADMIN_SECOND_FACTOR != "proxy",
        "provider": provider,
        "identity": None if provider is None else identities.identity_of_member(member, provider.issuer),
    }
    return render(request, "accounts/account.html", context, status=status_of(form))


@for_members(POST)
def set_time_zone(request: HttpRequest, member: Member) -> HttpResponse:
    """Set the browser's time zone, if the member accepts it, and return to the page that proposed it."""
    form = TimeZoneForm(request.POST)
    if form.is_valid():
        update_me(member, time_zone=form.cleaned_data["time_zone"])
        messages.success(request, f"Your time zone is now {form.cleaned_data['time_zone']}.")
    return HttpResponseRedirect(target_after(request))


@for_members(POST)
def end_one_session(request: HttpRequest, member: Member, session_id: str) -> HttpResponse:
    """Sign one browser out."""
    if end_session(member, session_id):
        messages.success(request, "That browser is signed out.")
    return redirect("account")


@for_members(POST)
def sign_out_everywhere(request: HttpRequest, member: Member) -> HttpResponse:
    """End every session, including this one."""
    end_sessions(member)
    logout(request)
    messages.success(request, "You are signed out everywhere. API keys and connected apps still work.")
    return redirect("sign-in")


@sensitive_post_parameters("current_password", "new_password", "code")
@for_members(FORM)
@attempts_are_counted
def password(request: HttpRequest, member: Member) -> HttpResponse:
    """Show the form for a new password, with the proof. An existing password can also be removed."""
    proof = Proof(request, member, OF_PASSWORD)
    posted = request.POST if request.method == "POST" else None
    removes = posted is not None and posted.get("do") == "remove"
    new = NewPasswordForm(None if removes else posted, member=member)

    def change() -> HttpResponse:
        return _stored(request, member, None if removes else new.cleaned_data["new_password"])

    return proof.answer(new, change) or render(request, "accounts/password.html", {"new": new, "proof": proof})


def _stored(request: HttpRequest, member: Member, password: str | None) -> HttpResponse:
    set_password(member, password)
    end_other_sessions(request, member)
    removed, stored = "Your password is removed. Sign in with a code by e-mail.", "Your new password is set."
    what = removed if password is None else stored
    messages.success(request, f"{what} Other browsers were signed out. API keys and connected apps still work.")
    return redirect("account")


@sensitive_post_parameters("current_password", "code")
@for_members(FORM)
@attempts_are_counted
def new_address(request: HttpRequest, member: Member) -> HttpResponse:
    """Ask for the new address and the proof. POST sends the code.

    The next page is the same whether or not the address is in use.
    """
    if first := before_change(request, member, "new-address"):
        return first
    proof = Proof(request, member, OF_ADDRESS)
    form = NewAddressForm(request.POST if request.method == "POST" else None, member=member)
    answer = proof.answer(form, lambda: _sent(request, member, form.cleaned_data["email"]))
    return answer or render(request, "accounts/new_address.html", {"form": form, "proof": proof})


def _sent(request: HttpRequest, member: Member, email: str) -> HttpResponse:
    """Send the code to the new address."""
    for rate_of in (email, f"change:{member.id}"):
        if refused := counted(request, Rate.SIGN_IN_CODES, sha256(rate_of), TOO_MANY_CODES):
            return refused
    request.session[PENDING_ADDRESS] = {"id": str(begin_email_change(member, email)), "email": email}
    return redirect("new-address-code")


@sensitive_post_parameters("code")
@for_members(FORM)
@attempts_are_counted
def new_address_code(request: HttpRequest, member: Member) -> HttpResponse:
    """Accept the code in the browser that asked for it, or send another. Other browsers are signed out on success."""
    if first := before_change(request, member, "new-address"):
        return first
    pending = request.session.get(PENDING_ADDRESS)
    if pending is None:
        return redirect("new-address")
    if request.POST.get("do") == "again":
        return _sent(request, member, pending["email"])
    form = CodeForm(request.POST if request.method == "POST" else None)
    usable = True
    if request.method == "POST" and form.is_valid():
        refusal = complete_email_change(member, pending["email"], UUID(pending["id"]), form.cleaned_data["code"])
        if refusal is None:
            return _changed(request, member)
        usable = form.refuse(refusal)
    return render(
        request, "accounts/new_address_code.html", {"form": form, "email": pending["email"], "usable": usable}
    )


def _changed(request: HttpRequest, member: Member) -> HttpResponse:
    del request.session[PENDING_ADDRESS]
    end_other_sessions(request, member)
    messages.success(
        request,
        f"Your address is now {member.email}. Other browsers were signed out. API keys and connected apps still work.",
    )
    response = redirect("account")
    remember(request, response, member.email)
    return response

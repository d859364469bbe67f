"""Change the e-mail address: enter the new one with the proof, then the code that was sent there."""

from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts.members.models import Member
from accounts.pages.account_forms import NewAddressForm
from accounts.pages.forms import CodeForm
from accounts.pages.known_browsers import remember
from accounts.pages.proof import OF_ADDRESS, Proof
from accounts.pages.second_factor.guards import before_new_address
from accounts.pages.sign_in import REFUSALS, attempts_are_counted
from accounts.pages.signed_in import signed_in
from accounts.signing_in.codes import Refusal
from accounts.signing_in.email_changes import PENDING_ADDRESS, begin_email_change, complete_email_change
from accounts.signing_in.sessions import end_other_sessions
from studyservice.http.error_pages import too_many
from studyservice.rates.limiter import Rate, hit
from studyservice.secrets.generated import sha256


@never_cache
@sensitive_post_parameters("current_password", "code")
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@attempts_are_counted
def new_address(request: HttpRequest) -> HttpResponse:
    """Ask for the new address and the proof. POST sends the code.

    The next page is the same whether or not the address is in use.
    """
    member = signed_in(request)
    if first := before_new_address(request, member):
        return first
    proof = Proof(request, member, OF_ADDRESS)
    form = NewAddressForm(request.POST if request.method == "POST" else None, member=member)
    if proof.complete(form):
        if refused := proof.check():
            return refused
        if proof.accepted:
            return _sent(request, member, form.cleaned_data["email"])
    return render(request, "accounts/new_address.html", {"form": form, "proof": proof})


def _sent(request: HttpRequest, member: Member, email: str) -> HttpResponse:
    """Send the code to the new address."""
    for rate_of in (email, f"change:{member.id}"):
        window = hit(Rate.SIGN_IN_CODES, sha256(rate_of))
        if window.exceeded:
            return too_many(request, window, "Too many codes for this address")
    request.session[PENDING_ADDRESS] = {"id": str(begin_email_change(member, email)), "email": email}
    return redirect("new-address-code")


@never_cache
@sensitive_post_parameters("code")
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@attempts_are_counted
def new_address_code(request: HttpRequest) -> HttpResponse:
    """Accept the code in the browser that asked for it, or send another. Other browsers are signed out on success."""
    member = signed_in(request)
    if first := before_new_address(request, member):
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
            return _changed(request)
        usable = refusal is Refusal.WRONG
        form.add_error("code" if usable else None, REFUSALS[refusal])
    return render(
        request, "accounts/new_address_code.html", {"form": form, "email": pending["email"], "usable": usable}
    )


def _changed(request: HttpRequest) -> HttpResponse:
    member = signed_in(request)
    del request.session[PENDING_ADDRESS]
    end_other_sessions(request, member)
    messages.success(
        request,
        f"Your address is now {member.email}. Other browsers were signed out. API keys and connected apps still work.",
    )
    response = redirect("account")
    remember(request, response, member.email)
    return response

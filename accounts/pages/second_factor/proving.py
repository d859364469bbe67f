"""An e-mailed code before setting up the first second factor, if the sign-in used a password or was a while ago."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts.members.models import Member
from accounts.pages.forms import CodeForm
from accounts.pages.known_browsers import attempts_at
from accounts.pages.second_factor.guards import for_operators
from accounts.pages.sign_in import REFUSALS, attempts_are_counted, target_after
from accounts.signing_in.codes import SECOND_FACTOR, Refusal, send_code, try_code
from accounts.signing_in.second_factor import gate
from studyservice.http.error_pages import too_many
from studyservice.rates.limiter import Rate, hit

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
        window = hit(Rate.SIGN_IN_CODES, attempts_at(request, member.email))
        if window.exceeded:
            return too_many(request, window, "Too many codes for this address")
        request.session[_PENDING] = str(send_code(member.email, SECOND_FACTOR))
        return redirect(f"{reverse('second-factor-proof')}?{urlencode({'next': target})}")
    pending = request.session.get(_PENDING)
    form = CodeForm(request.POST if request.method == "POST" and pending else None)
    usable = pending is not None
    if form.is_valid():
        outcome = try_code(UUID(pending), form.cleaned_data["code"])
        if isinstance(outcome, Member) and outcome.id == member.id:
            del request.session[_PENDING]
            gate.note_code(request)
            return HttpResponseRedirect(target)
        refusal = outcome if isinstance(outcome, Refusal) else Refusal.GONE
        usable = refusal is Refusal.WRONG
        if not usable:
            del request.session[_PENDING]
        form.add_error("code" if usable else None, REFUSALS[refusal])
    context = {"form": form, "email": member.email, "usable": usable, "next": target}
    return render(request, "accounts/second_factor_proof.html", context)

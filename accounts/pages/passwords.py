"""Set, change and remove a password."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts.members.models import Member
from accounts.pages.account_forms import NewPasswordForm
from accounts.pages.proof import OF_PASSWORD, Proof
from accounts.pages.sign_in import attempts_are_counted
from accounts.pages.signed_in import signed_in
from accounts.signing_in.passwords import set_password
from accounts.signing_in.sessions import end_other_sessions
from studyservice.operations.errors import NotFound


@never_cache
@sensitive_post_parameters("current_password", "new_password", "code")
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@attempts_are_counted
def password(request: HttpRequest) -> HttpResponse:
    """Show the form for a new password, with the proof. An existing password can also be removed."""
    member = signed_in(request)
    proof = Proof(request, member, OF_PASSWORD)
    posted = request.POST if request.method == "POST" else None
    removes = posted is not None and posted.get("do") == "remove"
    new = NewPasswordForm(None if removes else posted, member=member)
    if proof.complete(new):
        if refused := proof.check():
            return refused
        if proof.accepted:
            return _stored(request, member, None if removes else new.cleaned_data["new_password"])
    return render(request, "accounts/password.html", {"new": new, "proof": proof})


def _stored(request: HttpRequest, member: Member, password: str | None) -> HttpResponse:
    try:
        set_password(member, password)
    except NotFound:  # the member was deleted meanwhile, and the session with it
        return redirect("sign-in")
    end_other_sessions(request, member)
    removed, stored = "Your password is removed. Sign in with a code by e-mail.", "Your new password is set."
    what = removed if password is None else stored
    messages.success(request, f"{what} Other browsers were signed out. API keys and connected apps still work.")
    return redirect("account")

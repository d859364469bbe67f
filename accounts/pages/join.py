"""Join by the link of an invitation. Opening it creates nothing, since e-mail scanners open links too."""

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.joining import accept, live_invitation
from accounts.pages.known_browsers import remember
from accounts.pages.sign_in import attempts_are_counted
from accounts.signing_in.sessions import begin_session
from studyservice.http.error_pages import error_page
from studyservice.secrets.generated import sha256

INVITATION = "invitation"
"""Session entry: the hash of the link's secret, to remove the secret from the address bar and from referrers."""


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@attempts_are_counted
def join(request: HttpRequest) -> HttpResponse:
    """Ask on GET. POST creates the member and signs in."""
    secret = request.GET.get("invitation")
    if secret and request.method != "POST":
        secret_hash = sha256(secret)
        if live_invitation(secret_hash) is None:  # store nothing for an invented link
            return _ended(request)
        request.session[INVITATION] = secret_hash
        return redirect("join")
    secret_hash = request.session.get(INVITATION, "")
    if request.method != "POST":
        invitation = live_invitation(secret_hash)
        return render(request, "accounts/join.html", {"email": invitation.email}) if invitation else _ended(request)
    member = accept(secret_hash)
    if member is None or not begin_session(request, member, "invitation"):
        return _ended(request)
    request.session.pop(INVITATION, None)
    response = redirect("home")
    remember(request, response, member.email)
    return response


def _ended(request: HttpRequest) -> HttpResponse:
    return error_page(
        request,
        HTTPStatus.NOT_FOUND,
        "This invitation no longer works",
        "It works once, within seven days. If you have already joined, sign in. Otherwise ask for a new one.",
    )

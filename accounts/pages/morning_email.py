"""The page that turns the morning e-mail off, by the link in the e-mail and without a sign-in."""

from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from accounts.members.models import Member
from accounts.members.mornings import member_of_link
from accounts.pages.signed_in import FORM


@csrf_exempt  # mail services post without a form token (RFC 8058, 3.1); the address is the secret
@never_cache
@require_http_methods(FORM)
def morning_email_off(request: HttpRequest, token: str) -> HttpResponse:
    """Ask whether to turn the e-mail off. A POST with any body does. No address is shown, and no referrer is sent.

    Raises:
        Http404: the link was altered, or its member is gone.
    """
    member_id = member_of_link(token)
    if member_id is None:
        raise Http404
    members = Member.objects.filter(id=member_id)
    is_off = request.method == "POST"
    if not (members.update(morning_email=False) if is_off else members.exists()):
        raise Http404
    request.user = AnonymousUser()  # the page's menu would show the address of whoever is signed in
    response = render(request, "accounts/morning_email_off.html", {"is_off": is_off})
    response.headers["Referrer-Policy"] = "no-referrer"
    return response

"""Create, renew and end the calendar's address, on the key page."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.credentials.calendar_feeds import end_feed, feed_of, new_feed
from accounts.pages.forms import ApiKeyForm
from accounts.pages.keys import key_page
from accounts.pages.signed_in import signed_in
from studyservice.http.error_pages import too_many
from studyservice.operations.errors import NotFound
from studyservice.rates.limiter import Rate, hit


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def calendar_address(request: HttpRequest) -> HttpResponse:
    """Ask on GET whether to renew the address. Create one on POST; only its response shows the address."""
    member = signed_in(request)
    if request.method != "POST":
        return render(request, "accounts/renew_calendar.html") if feed_of(member) else redirect("keys")
    window = hit(Rate.API_KEYS, str(member.id))
    if window.exceeded:
        return too_many(request, window, "Too many new addresses")
    try:
        url = new_feed(member)
    except NotFound:  # the member was deleted meanwhile, and the session with it
        return redirect("sign-in")
    return key_page(request, member, ApiKeyForm(), calendar_url=url)


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def end_calendar_address(request: HttpRequest) -> HttpResponse:
    """Ask on GET, end the address on POST."""
    member = signed_in(request)
    if request.method != "POST":
        return render(request, "accounts/end_calendar.html") if feed_of(member) else redirect("keys")
    if end_feed(member.id):
        messages.success(request, "The calendar address no longer works.")
    return redirect("keys")

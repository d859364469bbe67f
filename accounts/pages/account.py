"""The account page: profile, address, password, browsers and membership."""

from zoneinfo import ZoneInfo

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.members.membership import standing
from accounts.members.models import Member
from accounts.members.profile import update_me
from accounts.pages.account_forms import ProfileForm, TimeZoneForm
from accounts.pages.forms import status_of
from accounts.pages.sign_in import target_after
from accounts.pages.signed_in import signed_in
from accounts.signing_in.sessions import end_session, end_sessions, sessions_of
from studyservice.http.error_pages import returns_input
from studyservice.operations.errors import NotFound


@returns_input
@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def account(request: HttpRequest) -> HttpResponse:
    """Show the page. POST changes the profile. Open to lapsed members too."""
    member = signed_in(request)
    if request.method != "POST":
        return _page(request, member, ProfileForm(initial=ProfileForm.values_of(member)))
    form = ProfileForm(request.POST)
    if not form.is_valid():
        return _page(request, member, form)
    try:
        update_me(member, **form.changes())
    except NotFound:  # the member was deleted meanwhile, and the session with it
        return redirect("sign-in")
    messages.success(request, "Your profile is saved.")
    return redirect("account")


def _page(request: HttpRequest, member: Member, form: ProfileForm) -> HttpResponse:
    context = {
        "form": form,
        "standing": standing(member),
        "sessions": sessions_of(member, request.session.session_key),
        "time_zone": member.time_zone,
        "second_factor": settings.ADMIN_SECOND_FACTOR != "proxy",
    }
    with timezone.override(ZoneInfo(member.time_zone)):
        return render(request, "accounts/account.html", context, status=status_of(form))


@never_cache
@login_required
@require_http_methods(["POST"])
def set_time_zone(request: HttpRequest) -> HttpResponse:
    """Set the browser's time zone, if the member accepts it, and return to the page that proposed it."""
    form = TimeZoneForm(request.POST)
    if form.is_valid():
        try:
            update_me(signed_in(request), time_zone=form.cleaned_data["time_zone"])
        except NotFound:  # the member was deleted meanwhile, and the session with it
            return redirect("sign-in")
        messages.success(request, f"Your time zone is now {form.cleaned_data['time_zone']}.")
    return HttpResponseRedirect(target_after(request))


@never_cache
@login_required
@require_http_methods(["POST"])
def end_one_session(request: HttpRequest, session_id: str) -> HttpResponse:
    """Sign one browser out."""
    if end_session(signed_in(request), session_id):
        messages.success(request, "That browser is signed out.")
    return redirect("account")


@never_cache
@login_required
@require_http_methods(["POST"])
def sign_out_everywhere(request: HttpRequest) -> HttpResponse:
    """End every session, including this one."""
    end_sessions(signed_in(request))
    logout(request)
    messages.success(request, "You are signed out everywhere. API keys and connected apps still work.")
    return redirect("sign-in")

"""The key page: API keys, connected apps, and how to connect an assistant."""

from dataclasses import replace
from http import HTTPStatus
from uuid import UUID
from zoneinfo import ZoneInfo

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.credentials.api_keys import MAX_ACTIVE_KEYS, active_keys, create_api_key, ended_keys, revoke_api_key
from accounts.credentials.calendar_feeds import feed_of
from accounts.credentials.connections import CONNECTED_APPS
from accounts.credentials.models import ApiKey
from accounts.members.membership import standing
from accounts.members.models import Member
from accounts.pages.clients import assistant_clients
from accounts.pages.forms import ApiKeyForm, status_of
from accounts.pages.limits_form import LimitsForm
from accounts.pages.signed_in import signed_in
from studyservice.http.error_pages import returns_input, too_many
from studyservice.operations.errors import Conflict, NotFound
from studyservice.rates.limiter import Rate, hit

MAX_PAST_KEYS = 20
"""Number of expired and revoked keys that the page lists, the newest first."""


@returns_input
@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def keys(request: HttpRequest) -> HttpResponse:
    """List keys and apps. POST creates a key; only its response shows the secret."""
    member = signed_in(request)
    posted = request.POST if request.method == "POST" else None
    form, limits = ApiKeyForm(posted), LimitsForm(posted, member, ends=False)
    if posted is not None and form.is_valid() & limits.is_valid():
        window = hit(Rate.API_KEYS, str(member.id))
        if window.exceeded:
            return too_many(request, window, "Too many new keys")
        try:
            secret, key = create_api_key(member, form.cleaned_data["name"], **form.options(), limits=limits.limits())
        except Conflict as error:
            form.add_error(None, error.message)
            return key_page(request, member, form, limits, status=error.status)
        except NotFound:  # the member was deleted meanwhile, and the session with it
            return redirect("sign-in")
        else:
            return key_page(request, member, ApiKeyForm(), created=key, secret=secret)
    return key_page(request, member, form, limits, status=status_of(form, limits))


def key_page(
    request: HttpRequest,
    member: Member,
    form: ApiKeyForm,
    limits: LimitsForm | None = None,
    *,
    status: HTTPStatus = HTTPStatus.OK,
    created: ApiKey | None = None,
    secret: str = "",
    calendar_url: str = "",
) -> HttpResponse:
    """Render the page. A new key's `secret` or a new `calendar_url` is shown only this once."""
    active = list(active_keys(member))
    past = list(ended_keys(member)[:MAX_PAST_KEYS])
    apps = CONNECTED_APPS.get().of(member)
    limits = limits or LimitsForm(None, member, ends=False)
    for key in (*active, *past):
        key.sees = limits.in_words(key.limited_to())
    mcp_url = f"{settings.BASE_URL}/mcp"
    context = {
        "form": form,
        "limits_form": limits,
        "active": active,
        "past": past,
        "full": len(active) >= MAX_ACTIVE_KEYS,
        "max_active": MAX_ACTIVE_KEYS,
        "created": created,
        "secret": secret,
        "calendar": feed_of(member),
        "calendar_url": calendar_url,
        "apps": [replace(app, sees=limits.in_words(app.limits)) for app in apps.listed],
        "more_apps": apps.more,
        "curl": f"curl -H 'Authorization: Bearer {secret}' {settings.BASE_URL}/v1/agenda",
        "mcp_url": mcp_url,
        "clients": assistant_clients(mcp_url),
        "time_zone": member.time_zone,
        "standing": standing(member),
    }
    with timezone.override(ZoneInfo(member.time_zone)):
        return render(request, "accounts/keys.html", context, status=status)


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def revoke_key(request: HttpRequest, key_id: UUID) -> HttpResponse:
    """Ask on GET, revoke on POST."""
    key = get_object_or_404(signed_in(request).api_keys, id=key_id)
    if request.method != "POST" and key.state() != "revoked":
        return render(request, "accounts/revoke_key.html", {"key": key})
    revoke_api_key(key)
    messages.success(request, f"The key “{key.name}” is revoked. It no longer works.")
    return redirect("keys")


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def disconnect_app(request: HttpRequest, app_id: UUID) -> HttpResponse:
    """Ask on GET, disconnect on POST."""
    member = signed_in(request)
    app = CONNECTED_APPS.get().one(member, app_id)
    if app is None:
        raise Http404
    if request.method != "POST":
        return render(request, "accounts/disconnect_app.html", {"app": app})
    try:
        CONNECTED_APPS.get().disconnect(member, app_id)
    except NotFound:  # the member was deleted meanwhile, and the app with it
        return redirect("sign-in")
    messages.success(request, f"“{app.name}” is disconnected. It can no longer reach your data.")
    return redirect("keys")

"""`GET /calendar/{token}.ics`: the member's calendar, for apps that subscribe to it.

They ask often, mostly without a change. The `ETag` is a hash of the text. A process remembers the `ETag` for each state
of the member's data, so most 304 answers need only one query and read no events.
"""

from hashlib import sha256
from http import HTTPStatus

from django.conf import settings
from django.core.cache.backends.locmem import LocMemCache
from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response
from django.views.decorators.csrf import csrf_exempt

from accounts.credentials.keys import Feed, resolve_feed
from planning.calendar.events import calendar_text, events_of
from studyservice.http.requests import CALLER, client_address
from studyservice.rates.limiter import Rate, Window, hit
from studyservice.rows.access import Access
from studyservice.server.lanes import MEMBER

_METHODS = ("GET", "HEAD")
_TAGS = LocMemCache("calendar tags", {"TIMEOUT": 24 * 60 * 60, "OPTIONS": {"MAX_ENTRIES": 10_000}})
"""The `ETag` by member, state of the member's data, the member's day and time zone, and request parameters."""

_CHOICES = {"true": True, "false": False}


@csrf_exempt
def feed(request: HttpRequest, token: str) -> HttpResponse:
    """The calendar, a 304, or a text with the error."""
    if request.method not in _METHODS:
        return _not_allowed()
    if settings.SECURE_SSL_REDIRECT and not request.is_secure():
        window, refusal = hit(Rate.CALENDAR, client_address(request)), _over_http()
        return _answered(_too_many(window) if window.exceeded else refusal, window)
    found = resolve_feed(token)
    window = hit(Rate.CALENDAR, client_address(request) if found is None else str(found.id))
    if window.exceeded:
        return _answered(_too_many(window), window)
    return _answered(_unknown() if found is None else _calendar(request, found), window)


def _calendar(request: HttpRequest, found: Feed) -> HttpResponse:
    member = found.member
    CALLER.set(request, {"member": member.id, "calendar_feed": found.id})
    request.META[MEMBER] = member.id  # for the fairness lanes of requests
    if not member.membership_is_active():
        return _text(HTTPStatus.FORBIDDEN, "This membership is not active. Renew it to see the calendar again.")
    choices = {name: _CHOICES.get(request.GET.get(name, "false")) for name in ("milestones", "open")}
    for name, choice in choices.items():
        if choice is None:
            return _text(HTTPStatus.BAD_REQUEST, f"{name} must be true or false.")
    milestones, only_open = map(bool, choices.values())
    today = member.today()
    of_member = (member.id, found.write_clock.timestamp(), today, member.time_zone)
    key = sha256(repr((of_member, milestones, only_open, settings.BASE_URL)).encode()).hexdigest()
    etag: str = _TAGS.get(key, "")
    response: HttpResponse | None = get_conditional_response(request, etag=etag) if etag else None
    if response is None:
        text = calendar_text(events_of(Access(member), today, milestones=milestones, only_open=only_open))
        etag = f'"{sha256(text).hexdigest()[:32]}"'
        _TAGS.set(key, etag)
        response = get_conditional_response(request, etag=etag) or _whole(text)
    response.headers["ETag"] = etag
    response.headers["Cache-Control"] = "private, no-cache"
    return response


def _whole(text: bytes) -> HttpResponse:
    return HttpResponse(
        text,
        content_type="text/calendar; charset=utf-8",
        headers={"Content-Disposition": 'inline; filename="calendar.ics"'},
    )


def _not_allowed() -> HttpResponse:
    response = _text(HTTPStatus.METHOD_NOT_ALLOWED, "A calendar is only read: use GET or HEAD.")
    response.headers["Allow"] = ", ".join(_METHODS)
    response.headers["Referrer-Policy"] = "no-referrer"
    return response


def _unknown() -> HttpResponse:
    return _text(
        HTTPStatus.NOT_FOUND,
        f"There is no calendar at this address: it was renewed or ended. See {settings.BASE_URL}/keys for another one.",
    )


def _over_http() -> HttpResponse:
    """Reject http like the API does: a redirect would let an app send the address unencrypted forever."""
    return _text(
        HTTPStatus.BAD_REQUEST,
        "Use https. An address that was sent over http may have been read on the way: renew it.",
    )


def _too_many(window: Window) -> HttpResponse:
    response = _text(HTTPStatus.TOO_MANY_REQUESTS, f"Too many requests. Ask again in {window.reset} seconds.")
    response.headers["Retry-After"] = str(window.reset)
    return response


def _text(status: HTTPStatus, message: str) -> HttpResponse:
    return HttpResponse(message + "\n", status=status, content_type="text/plain; charset=utf-8")


def _answered(response: HttpResponse, window: Window) -> HttpResponse:
    """Add the rate headers. The address is a secret, so no referrer is sent."""
    for name, value in window.headers().items():
        response.headers[name] = value
    response.headers["Referrer-Policy"] = "no-referrer"
    return response

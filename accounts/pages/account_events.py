"""Events of the member's account: sign-ins, keys, apps, operators."""

from collections.abc import Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.events.log import EventRow, list_events
from accounts.events.words import event_in_words
from accounts.members.models import Member
from accounts.pages.signed_in import signed_in
from studyservice.operations.fields import parse_uuid

PER_PAGE = 50
"""Events on one page."""

NEWEST = 5
"""Number of events above the changes."""


@dataclass(frozen=True, slots=True)
class ShownEvent:
    """An event as the pages show it."""

    event: EventRow
    words: str


def newest_events(member: Member) -> Sequence[ShownEvent]:
    """The newest events, shown above the changes."""
    return _shown(list_events(member, limit=NEWEST))


def _shown(events: Sequence[EventRow]) -> Sequence[ShownEvent]:
    return [ShownEvent(event, event_in_words(event)) for event in events]


@never_cache
@login_required
@require_http_methods(["GET", "HEAD"])
def account_events(request: HttpRequest) -> HttpResponse:
    """List the events, newest first. `before` is the last event of the previous page."""
    member = signed_in(request)
    told = request.GET.get("before")
    before = None if told is None else parse_uuid(told)
    if told is not None and before is None:
        raise Http404
    events = list_events(member, limit=PER_PAGE + 1, before=before)
    context = {
        "shown": _shown(events[:PER_PAGE]),
        "older": events[PER_PAGE - 1]["id"] if len(events) > PER_PAGE else None,
        "time_zone": member.time_zone,
    }
    with timezone.override(ZoneInfo(member.time_zone)):
        return render(request, "accounts/account_events.html", context)

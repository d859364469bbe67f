"""The home page: an introduction for visitors, and this week for members."""

from datetime import timedelta
from zoneinfo import ZoneInfo

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from accounts.members.membership import standing
from accounts.models import Member
from accounts.pages.once import address_here
from accounts.rows.access import Access
from courses.pages.colors import hues_here
from courses.pages.first_steps import first_steps
from planning.agenda import done_milestones, look_ahead
from planning.now.situation import Situation
from planning.pages.due_lists import due_lists
from planning.pages.what_now import minutes_asked, what_now
from studyservice.http.middleware import may_fetch
from vocab.studying import coming

WEEK = 6
"""Number of days after today on the page."""


@csrf_exempt  # posts to this URL come from programs; the forms of the page have their own URLs
@never_cache
def home(request: HttpRequest) -> HttpResponse:
    """Show the home page. A POST, which an MCP client sends to an address without a path, gets a 404.

    Raises:
        Http404: the request is a POST.
    """
    if request.method == "POST":
        raise Http404
    return _week(request)


@require_safe
def _week(request: HttpRequest) -> HttpResponse:
    """The week of an active member, or the introduction for anybody else."""
    context: dict[str, object] = {
        "mcp_url": f"{settings.BASE_URL}/mcp",
        "curl": f"curl -H 'Authorization: Bearer YOUR_API_KEY' {settings.BASE_URL}/v1/agenda",
    }
    if not isinstance(request.user, Member):
        return render(request, "planning/home.html", context)
    member = request.user
    context["standing"] = standing(member)
    context["time_zone"] = member.time_zone
    if member.membership_is_active():
        ahead = look_ahead(Access(member), days=WEEK, minutes=minutes_asked(request))
        today = ahead.agenda["today"]
        done = done_milestones(Access(member), today, ahead.agenda["until"])
        courses = {item.id: item.course_id for item in ahead.situation.items}
        context |= {"today": today, "tomorrow": today + timedelta(days=1), "until": ahead.agenda["until"]}
        context |= {
            "first_steps": first_steps(Access(member), len(hues_here(request))),
            "here": address_here(request, "minutes"),
        }
        known = {**courses, **{deck.id: deck.course_id for deck in ahead.situation.decks}}
        context |= (
            due_lists(ahead.agenda, done, courses | {step["item_id"]: step["course_id"] for step in done})
            | what_now(ahead.now, known)
            | _cards(Access(member), ahead.situation)
        )
    with timezone.override(ZoneInfo(member.time_zone)):
        return may_fetch(request, render(request, "planning/week.html", context))


def _cards(access: Access, situation: Situation) -> dict[str, object]:
    """The number of cards to study now, as the study page counts them; empty without decks. If there are none, the
    number of those that come later today, which takes a query.
    """
    if not situation.decks:
        return {}
    known = sum(deck.repeat + deck.due for deck in situation.decks)
    new = min(sum(deck.new for deck in situation.decks), situation.new_cards)
    if known + new:
        return {"cards_today": known + new, "new_today": new}
    later = coming(access, timezone.now())
    return {"cards_today": 0, "later_today": later["later_today"], "next_card_at": later["next_at"]}

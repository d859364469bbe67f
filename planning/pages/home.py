"""The home page: an introduction for visitors; for members this week, and steps for their minutes."""

from collections.abc import Mapping
from datetime import timedelta
from http import HTTPStatus
from uuid import UUID
from zoneinfo import ZoneInfo

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from accounts.members.membership import standing
from accounts.models import Member
from accounts.pages.once import address_here
from accounts.pages.sign_in import target_after
from accounts.pages.signed_in import FORM, for_active_members
from courses.pages.colors import courses_here, open_courses
from courses.pages.courses import first_steps
from courses.views import ItemViewSet
from planning.agenda import done_milestones, look_ahead
from planning.agenda_serializers import NowRow, StepRow
from planning.now.situation import Situation
from planning.pages.due_lists import due_lists
from planning.pages.forms import Refused
from planning.pages.line_form import LineForm, said_of
from planning.pages.remarks import created
from studyservice.http.middleware import may_fetch
from studyservice.operations.errors import Conflict
from studyservice.rows.access import Access
from vocab.studied import cards_left
from vocab.studying import coming

WEEK = 6
"""Number of days after today on the page."""

CHOICES = (15, 30, 60, 120)
"""Choices of minutes."""

USUAL = 30
"""Default minutes."""

MOST_SHOWN = 3


def minutes_asked(request: HttpRequest) -> int:
    """The chosen minutes."""
    return next((minutes for minutes in CHOICES if request.GET.get("minutes") == str(minutes)), USUAL)


def what_now(now: NowRow, courses: Mapping[UUID, UUID | None]) -> dict[str, object]:
    """The first steps. `courses` has the course of each item and deck."""
    steps = [_shown(step, courses) for step in now["steps"][:MOST_SHOWN]]
    return {"steps": steps, "minutes": now["minutes"], "choices": CHOICES}


def _shown(step: StepRow, courses: Mapping[UUID, UUID | None]) -> dict[str, object]:
    """The step with its first reason, its course (None for a topic), and the page of the item or for studying the deck
    (none for a topic whose deck was deleted).
    """
    item_id, deck_id = step["item_id"], step["deck_id"]
    path = ""
    if item_id is not None:
        path = reverse("item", args=[item_id])
    elif deck_id is not None:
        path = reverse("study-deck", args=[deck_id])
    subject = item_id or deck_id
    return {
        **step,
        "path": path,
        "course_id": None if subject is None else courses.get(subject),
        "reason": step["because"][0]["text"],
    }


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
    """The week of a member, or the introduction for anybody else."""
    if isinstance(request.user, Member):
        return show_week(request, request.user)
    context = {
        "mcp_url": f"{settings.BASE_URL}/mcp",
        "curl": f"curl -H 'Authorization: Bearer YOUR_API_KEY' {settings.BASE_URL}/v1/agenda",
    }
    return render(request, "planning/home.html", context)


def show_week(
    request: HttpRequest,
    member: Member,
    *,
    refused: Refused | None = None,
    line_form: LineForm | None = None,
    status: HTTPStatus = HTTPStatus.OK,
) -> HttpResponse:
    """The week of a member; without an active membership only how to renew it.

    Args:
        refused: the row whose move was refused.
        line_form: the rejected line.
    """
    context: dict[str, object] = {"standing": standing(member), "time_zone": member.time_zone, "refused": refused}
    if member.membership_is_active():
        ahead = look_ahead(Access(member), days=WEEK, minutes=minutes_asked(request))
        today = ahead.agenda["today"]
        done = done_milestones(Access(member), today, ahead.agenda["until"])
        courses = {item.id: item.course_id for item in ahead.situation.items}
        context |= {"today": today, "tomorrow": today + timedelta(days=1), "until": ahead.agenda["until"]}
        listed = courses_here(request)
        context |= {
            "first_steps": first_steps(Access(member), len(listed)),
            "here": address_here(request, "minutes", "overdue", path=reverse("home")),
            "line_form": line_form
            or LineForm(member=member, courses=open_courses(listed), line=request.session.get(_LINE, "")),
        }
        known = {**courses, **{deck.id: deck.course_id for deck in ahead.situation.decks}}
        context |= (
            due_lists(
                ahead.agenda,
                done,
                courses | {step["item_id"]: step["course_id"] for step in done},
                all_overdue=request.GET.get("overdue") == "all",
            )
            | what_now(ahead.now, known)
            | _cards(Access(member), ahead.situation)
        )
    with timezone.override(ZoneInfo(member.time_zone)):
        return may_fetch(request, render(request, "planning/week.html", context, status=status))


def _cards(access: Access, situation: Situation) -> dict[str, object]:
    """The number of cards to study now, as the study page counts them; empty without decks. If there are none, the
    number of those that come later today, which takes a query.
    """
    if not situation.decks:
        return {}
    if left := cards_left(situation.decks, situation.new_cards):
        return {"cards_today": left, "new_today": left - cards_left(situation.decks, 0)}
    later = coming(access, timezone.now(), [deck.id for deck in situation.decks])
    return {"cards_today": 0, "later_today": later["later_today"], "next_card_at": later["next_at"]}


_LINE = "line"
"""In the session: a line that waits for the member's first course."""


@for_active_members(FORM)
def add_line(request: HttpRequest, member: Member) -> HttpResponse:
    """Add the item of a line. GET leads to the week, as after a rejected line."""
    if request.method != "POST":
        return redirect("home")
    form = LineForm(request.POST, member=member, courses=open_courses(courses_here(request)))
    if not form.is_valid():
        if form.needs_course:
            request.session[_LINE] = form["line"].value()
        elif form.has_error("line", "required"):
            request.session.pop(_LINE, None)
        return show_week(request, member, line_form=form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    course_id, item = form.new_item()
    try:
        made = form.make_once(
            request, member, ItemViewSet.create_item, lambda: created(Access(member), course_id, item)
        )
    except Conflict as error:
        form.add_error("line", error.message)
        return show_week(request, member, line_form=form, status=error.status)
    request.session.pop(_LINE, None)
    messages.success(request, said_of(made, form.cleaned_data["stayed"], member.today()))
    return HttpResponseRedirect(target_after(request))

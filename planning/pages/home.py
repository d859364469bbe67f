"""The home page: what this is, and for who is signed in this week."""

from collections.abc import Mapping
from datetime import date, timedelta
from itertools import groupby
from typing import NamedTuple
from uuid import UUID

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from accounts.members.membership import standing
from accounts.models import Member
from courses.items import course_ids
from courses.models import ItemStatus
from courses.pages.first_steps import first_steps
from courses.serializers import ItemRow
from planning.agenda import get_agenda
from planning.pages.what_now import minutes_asked, what_now
from planning.serializers import AgendaRow

WEEK = 6
"""Days after today that the page shows."""


class Due(NamedTuple):
    """An item or a milestone, as the page lists it.

    Attributes:
        what: an item's kind, or what a milestone leads up to.
        recall: of the flashcards of its course, the percentage that will be recalled on its day if nothing is studied
            until then; None where that is not told.
        since: of what is overdue or missed, the day that it was due.
        tick: the path of the form that sets whether it is done; empty for what is graded.
        done: whether it is.
    """

    title: str
    course: str | None
    course_id: UUID | None
    what: str
    recall: float | None = None
    since: date | None = None
    tick: str = ""
    done: bool = False


class Day(NamedTuple):
    """What is due on a day; of None it is undated, or overdue."""

    date: date | None
    due: list[Due]


@csrf_exempt  # what is posted here comes from programs; the forms of the page have paths of their own
@never_cache
def home(request: HttpRequest) -> HttpResponse:
    """Where to go; for a POST, which a client of MCP sends to an address without a path, 404.

    Raises:
        Http404: it is one.
    """
    if request.method == "POST":
        raise Http404
    return _week(request)


@require_safe
def _week(request: HttpRequest) -> HttpResponse:
    """The week of a member, whose membership is active; for anybody else what this is."""
    context: dict[str, object] = {
        "mcp_url": f"{settings.BASE_URL}/mcp",
        "curl": f"curl -H 'Authorization: Bearer YOUR_API_KEY' {settings.BASE_URL}/v1/agenda",
    }
    if not isinstance(request.user, Member):
        return render(request, "home.html", context)
    member = request.user
    context["standing"] = standing(member)
    context["time_zone"] = member.time_zone
    if member.membership_is_active():
        agenda = get_agenda(member, days=WEEK, minutes=minutes_asked(request))
        named = (*agenda["milestones"], *agenda["now"]["steps"])
        courses = course_ids(member, (step["item_id"] for step in named if step["item_id"] is not None))
        context |= {"today": agenda["today"], "tomorrow": agenda["today"] + timedelta(days=1), "until": agenda["until"]}
        context["first_steps"] = first_steps(member)
        context |= _sorted(agenda, courses) | what_now(agenda["now"], courses)
    return render(request, "week.html", context)


def _sorted(agenda: AgendaRow, courses: Mapping[UUID, UUID]) -> dict[str, object]:
    """The agenda by days, with overdue and undated steps apart; `courses` has the course of each step's item."""
    recall = {one["item_id"]: one["expected_recall"] for one in agenda["readiness"]}
    dated = [
        (item["due_on"], _due(item)._replace(recall=recall.get(item["id"])))
        for item in agenda["items"]
        if item["due_on"] is not None
    ]
    missed = [_due(item)._replace(since=item["due_on"]) for item in agenda["missed"]]
    overdue, undated = [], []
    for step in agenda["milestones"]:
        due = Due(
            step["title"],
            step["course_name"],
            courses.get(step["item_id"]),
            f"for {step['item_title']}",
            tick=reverse("tick-milestone", args=[step["id"]]),
        )
        if step["overdue"]:
            overdue.append(due._replace(since=step["due_on"]))
        elif step["due_on"] is None:
            undated.append(due)
        else:
            dated.append((step["due_on"], due))
    dated.sort(key=lambda one: one[0])
    days = [Day(day, [due for _, due in group]) for day, group in groupby(dated, key=lambda one: one[0])]
    return {"days": days, "missed": missed, "overdue": overdue, "undated": undated}


def _due(item: ItemRow) -> Due:
    what = "graded" if item["status"] == ItemStatus.GRADED else item["kind"]
    tick = "" if item["status"] == ItemStatus.GRADED else reverse("tick-item", args=[item["id"]])
    return Due(item["title"], item["course_name"], item["course_id"], what, tick=tick, done=item["done"])

"""Forms in the rows of lists: tick an item or a milestone, or move it to another day."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import date, timedelta
from http import HTTPStatus
from typing import NamedTuple
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.urls import is_valid_path, resolve, reverse
from django.utils.dateformat import format as format_date

from accounts.models import Member
from accounts.pages.sign_in import target_after
from accounts.pages.signed_in import POST, for_active_members
from courses.items import get_item, update_item
from planning.milestones import get_milestone, update_milestone
from planning.pages.course import show_course
from planning.pages.forms import MoveForm, Refused
from planning.pages.home import show_week
from planning.pages.remarks import gone_by, later_steps, later_than_item, with_remarks
from planning.pages.upcoming import show_upcoming
from studyservice.rows.access import Access

PAGES: dict[str | None, Callable[..., HttpResponse]] = {
    "home": show_week,
    "upcoming": show_upcoming,
    "course": show_course,
}
"""The pages with rows that move, by the name of their address. A refused move shows its page again, with `refused`."""

_CHOICES = {"true": True, "false": False}
_DAY, _WEEK = timedelta(days=1), timedelta(days=7)


@for_active_members(POST)
def tick_item(request: HttpRequest, member: Member, item_id: UUID) -> HttpResponse:
    """Set whether the item is done, and show the originating page again."""
    return _ticked(request, item_id, lambda done: update_item(Access(member), item_id, done=done)["title"])


@for_active_members(POST)
def tick_milestone(request: HttpRequest, member: Member, milestone_id: UUID) -> HttpResponse:
    """Set whether the milestone is done, and show the originating page again."""
    return _ticked(
        request, milestone_id, lambda done: update_milestone(Access(member), milestone_id, done=done)["title"]
    )


def _ticked(request: HttpRequest, ticked: UUID, set_done: Callable[[bool], str]) -> HttpResponse:
    """Set `done` to the value in the form. `set_done` returns the title.

    Raises:
        Http404: the form is invalid.
        NotFound: the member has no such object.
    """
    done = _CHOICES.get(request.POST.get("done", ""))
    if done is None:
        raise Http404
    title = set_done(done)
    messages.success(request, f"“{title}” is {'done' if done else 'open again'}.", extra_tags="above")
    return HttpResponseRedirect(f"{target_after(request)}#t{ticked.hex}")  # the button (tick.html)


class _Moving(NamedTuple):
    """An item or a milestone before its move.

    Attributes:
        move: sets its date.
        remarks: returns what to say of the new date.
    """

    id: UUID
    title: str
    due_on: date | None
    move: Callable[[date], object]
    remarks: Callable[[date], Sequence[str]]


@for_active_members(POST)
def move_item(request: HttpRequest, member: Member, item_id: UUID) -> HttpResponse:
    """Move the item to another day. It keeps its time."""
    access = Access(member)
    item = get_item(access, item_id)
    moving = _Moving(
        item_id,
        item["title"],
        item["due_on"],
        lambda day: update_item(access, item_id, due_on=day),
        lambda day: [gone_by(day, member.today()), later_steps(access, item_id, item["title"], day)],
    )
    return _moved(request, member, moving)


@for_active_members(POST)
def move_milestone(request: HttpRequest, member: Member, milestone_id: UUID) -> HttpResponse:
    """Move the milestone to another day."""
    access = Access(member)
    step = get_milestone(access, milestone_id)
    moving = _Moving(
        milestone_id,
        step["title"],
        step["due_on"],
        lambda day: update_milestone(access, milestone_id, due_on=day),
        lambda day: [later_than_item(access, step["item_id"], None if step["done"] else day)],
    )
    return _moved(request, member, moving)


def _moved(request: HttpRequest, member: Member, moving: _Moving) -> HttpResponse:
    """Move it to the chosen date, and show the originating page again at the day of before."""
    today = member.today()
    form = MoveForm({"due_on": _by_button(request, today) or request.POST.get("due_on")}, id_=moving.id)
    if not form.is_valid():
        return _refused(request, member, Refused(moving.id, form))
    day: date = form.cleaned_data["due_on"]
    told = format_date(day, "D j M" if day.year == today.year else "D j M Y")
    if day == moving.due_on:
        messages.success(request, f"“{moving.title}” is on {told} already. Nothing was changed.", extra_tags="above")
    else:
        moving.move(day)
        said = with_remarks(f"Moved “{moving.title}” to {told}.", *moving.remarks(day))
        messages.success(request, said, extra_tags="above")
    return HttpResponseRedirect(f"{target_after(request)}#{_place(moving.due_on, today)}")


def _by_button(request: HttpRequest, today: date) -> date | None:
    """The day that a button names: tomorrow, or a week after the value of the button. None if another was pressed.

    The value is the day that the page showed, so that a form sent twice moves once.
    """
    choice = request.POST.get("do", "")
    if choice == "tomorrow":
        return today + _DAY
    with suppress(ValueError, OverflowError):  # the form then asks for a date
        return max(date.fromisoformat(choice), today) + _WEEK
    return None


def _place(due_on: date | None, today: date) -> str:
    """The id of the heading that the row was below."""
    if due_on is None:
        return "undated"
    return "overdue" if due_on < today else f"d{due_on}"


def _refused(request: HttpRequest, member: Member, refused: Refused) -> HttpResponse:
    """The page that the form was on, with the errors in its row."""
    path, _, query = target_after(request).partition("?")
    match = resolve(path) if is_valid_path(path) else None
    if match is None or match.url_name not in PAGES:
        path = reverse("home")
        match = resolve(path)
    request.GET, request.path = QueryDict(query), path
    response = PAGES[match.url_name](request, member, **match.kwargs, refused=refused)
    response.status_code = HTTPStatus.UNPROCESSABLE_ENTITY
    return response

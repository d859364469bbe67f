"""Ticks of items and milestones: forms that set `done`, and do not toggle it."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from accounts.pages.signed_in import for_active_members, signed_in
from courses.items import update_item
from planning.milestones import update_milestone
from studyservice.operations.errors import NotFound

_CHOICES = {"true": True, "false": False}


@for_active_members
@require_POST
def tick_item(request: HttpRequest, item_id: UUID) -> HttpResponse:
    """Set whether the item is done, and show the week again."""
    done = _done(request)
    try:
        item = update_item(signed_in(request), item_id, done=done)
    except NotFound as error:
        raise Http404 from error
    return _back(request, item["title"], done=done)


@for_active_members
@require_POST
def tick_milestone(request: HttpRequest, milestone_id: UUID) -> HttpResponse:
    """Set whether the milestone is done, and show the week again."""
    done = _done(request)
    try:
        milestone = update_milestone(signed_in(request), milestone_id, done=done)
    except NotFound as error:
        raise Http404 from error
    return _back(request, milestone["title"], done=done)


def _done(request: HttpRequest) -> bool:
    """What the form sets.

    Raises:
        Http404: it is not one of these forms.
    """
    done = _CHOICES.get(request.POST.get("done", ""))
    if done is None:
        raise Http404
    return done


def _back(request: HttpRequest, title: str, *, done: bool) -> HttpResponse:
    messages.success(request, f"“{title}” is {'done' if done else 'open again'}.")
    return redirect("home")

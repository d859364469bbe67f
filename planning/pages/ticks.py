"""Forms that set `done` of items and milestones. They do not toggle it."""

from collections.abc import Callable
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_POST

from accounts.models import Member
from accounts.pages.sign_in import target_after
from accounts.pages.signed_in import for_active_members, signed_in
from accounts.rows.access import Access
from courses.items import update_item
from planning.milestones import update_milestone

_CHOICES = {"true": True, "false": False}


@for_active_members
@require_POST
def tick_item(request: HttpRequest, item_id: UUID) -> HttpResponse:
    """Set whether the item is done, and show the originating page again."""
    return _ticked(request, item_id, lambda member, done: update_item(Access(member), item_id, done=done)["title"])


@for_active_members
@require_POST
def tick_milestone(request: HttpRequest, milestone_id: UUID) -> HttpResponse:
    """Set whether the milestone is done, and show the originating page again."""
    return _ticked(
        request, milestone_id, lambda member, done: update_milestone(Access(member), milestone_id, done=done)["title"]
    )


def _ticked(request: HttpRequest, ticked: UUID, set_done: Callable[[Member, bool], str]) -> HttpResponse:
    """Set `done` to the value in the form. `set_done` returns the title.

    Raises:
        Http404: the form is invalid.
        NotFound: the member has no such object.
    """
    done = _CHOICES.get(request.POST.get("done", ""))
    if done is None:
        raise Http404
    title = set_done(signed_in(request), done)
    messages.success(request, f"“{title}” is {'done' if done else 'open again'}.", extra_tags="above")
    return HttpResponseRedirect(f"{target_after(request)}#t{ticked.hex}")  # the button (tick.html)

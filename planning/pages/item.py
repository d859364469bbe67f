"""The page of an item: its details, its milestones, and the plan for an exam."""

from http import HTTPStatus
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.html import format_html
from django.views.decorators.http import require_http_methods, require_POST

from accounts.models import Member
from accounts.pages.signed_in import for_active_members, signed_in
from accounts.rows.access import Access
from courses.items import get_item, update_item
from courses.serializers import ItemRow
from grades.breakdown import get_grades
from planning import milestones
from planning.pages.item_forms import ItemForm, MilestoneForm, NewMilestoneForm
from planning.pages.item_view import show_item
from planning.pages.sending import sent
from planning.serializers import MilestoneRow
from planning.views import MilestoneViewSet
from studyservice.operations.errors import ApiError

_WRONG = HTTPStatus.UNPROCESSABLE_ENTITY


@for_active_members
@require_http_methods(["GET", "HEAD", "POST"])
def item_page(request: HttpRequest, item_id: UUID) -> HttpResponse:
    """Show the item. A post changes it."""
    member = signed_in(request)
    if request.method != "POST":
        return show_item(request, member, item_id)
    item = get_item(Access(member), item_id)
    categories = get_grades(Access(member), item["course_id"])["categories"]
    form = ItemForm(request.POST, item=item, categories=categories)
    if not form.is_valid():
        return show_item(request, member, item_id, form=form, status=_WRONG)
    changes = form.fields_changed()
    done = sent(form, lambda: update_item(Access(member), item_id, **changes))
    if isinstance(done, ApiError):
        return show_item(request, member, item_id, form=form, status=done.status)
    messages.success(request, f"Saved “{done['title']}”." if changes else "Nothing was changed.")
    if changes.get("due_on"):
        _warn_of_later_steps(request, member, done)
    return redirect("item", item_id=item_id)


def _warn_of_later_steps(request: HttpRequest, member: Member, item: ItemRow) -> None:
    """Say how many open milestones are due after an item that was moved, with a link to them."""
    number = 0 if item["due_on"] is None else milestones.steps_after(Access(member), item["id"], item["due_on"])
    if number:
        steps = "1 open step is" if number == 1 else f"{number} open steps are"
        address = f"{reverse('item', args=[item['id']])}#milestones"
        messages.warning(
            request,
            format_html('{} now later than “{}”. <a href="{}">Change the steps</a>', steps, item["title"], address),
        )


@for_active_members
@require_http_methods(["GET", "HEAD", "POST"])
def add_milestone(request: HttpRequest, item_id: UUID) -> HttpResponse:
    """Add a milestone. GET leads to the item, as after a rejected form."""
    if request.method != "POST":
        return _steps(item_id)
    member = signed_in(request)
    form = NewMilestoneForm(request.POST)
    if not form.is_valid():
        return show_item(request, member, item_id, new_step=form, status=_WRONG)
    title, due_on = form.cleaned_data["title"], form.cleaned_data["due_on"]
    done = sent(
        form,
        lambda: form.make_once(
            request,
            member,
            MilestoneViewSet.create_milestone,
            lambda: milestones.create_milestone(Access(member), item_id, title=title, due_on=due_on),
        ),
    )
    if isinstance(done, ApiError):
        return show_item(request, member, item_id, new_step=form, status=done.status)
    messages.success(request, f"Added “{title}”.", extra_tags="above")
    return _steps(item_id)


@for_active_members
@require_http_methods(["GET", "HEAD", "POST"])
def change_milestone(request: HttpRequest, milestone_id: UUID) -> HttpResponse:
    """Change a milestone. GET leads to its item."""
    member = signed_in(request)
    milestone = _milestone(Access(member), milestone_id)
    item_id = milestone["item_id"]
    if request.method != "POST":
        return _steps(item_id)
    there = milestones.milestones_of(Access(member), item_id)
    place = next((place for place, one in enumerate(there, start=1) if one["id"] == milestone_id), 1)
    form = MilestoneForm(request.POST, milestone=milestone, place=place, of=len(there))
    if not form.is_valid():
        return show_item(request, member, item_id, changed_step=(milestone_id, form), status=_WRONG)
    new_place, changes = form.fields_changed()
    done = sent(form, lambda: milestones.update_milestone(Access(member), milestone_id, place=new_place, **changes))
    if isinstance(done, ApiError):
        return show_item(request, member, item_id, changed_step=(milestone_id, form), status=done.status)
    said = f"Saved “{done['title']}”." if changes or new_place else "Nothing was changed."
    messages.success(request, said, extra_tags="above")
    return _steps(item_id)


@for_active_members
@require_POST
def delete_milestone(request: HttpRequest, milestone_id: UUID) -> HttpResponse:
    """Delete a milestone at once, as the member can undo it."""
    member = signed_in(request)
    milestone = _milestone(Access(member), milestone_id)
    milestones.delete_milestone(Access(member), milestone_id)
    said = f"“{milestone['title']}” is deleted. You can restore it in Activity for 30 days."
    messages.success(request, said, extra_tags="above")
    return _steps(milestone["item_id"])


def _milestone(access: Access, milestone_id: UUID) -> MilestoneRow:
    return milestones.get_milestone(access, milestone_id)


def _steps(item_id: UUID) -> HttpResponse:
    return HttpResponseRedirect(reverse("item", args=[item_id]) + "#milestones")

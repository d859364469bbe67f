"""Change the limits of a key or an app, from its next call on."""

from collections.abc import Callable
from http import HTTPStatus
from uuid import UUID

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.credentials.api_keys import active_keys, limit_api_key
from accounts.credentials.connections import CONNECTED_APPS
from accounts.credentials.limits import Limits
from accounts.members.models import Member
from accounts.pages.limits_form import LimitsForm
from accounts.pages.signed_in import signed_in
from studyservice.operations.errors import NotFound


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def limit_key(request: HttpRequest, key_id: UUID) -> HttpResponse:
    """Ask for the key's limits on GET, change them on POST."""
    member = signed_in(request)
    key = get_object_or_404(active_keys(member), id=key_id)

    def save(limits: Limits) -> None:
        limit_api_key(key, limits)

    return _changed(request, member, key.name, key.limited_to(), save, ends=False)


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def limit_app(request: HttpRequest, app_id: UUID) -> HttpResponse:
    """Ask for the app's limits on GET, change them on POST."""
    member = signed_in(request)
    app = CONNECTED_APPS.get().one(member, app_id)
    if app is None:
        raise Http404

    def save(limits: Limits) -> None:
        CONNECTED_APPS.get().limit(member, app_id, limits)

    return _changed(request, member, app.name, app.limits, save, ends=True)


def _changed(
    request: HttpRequest, member: Member, name: str, limits: Limits, save: Callable[[Limits], None], *, ends: bool
) -> HttpResponse:
    is_post = request.method == "POST"
    form = LimitsForm(request.POST if is_post else None, member, limits=limits, ends=ends)
    if is_post and form.is_valid():
        try:
            save(form.limits())
        except NotFound:  # the member was deleted meanwhile, and the credential with it
            return redirect("sign-in")
        messages.success(request, f"Saved. It counts from the next call of \u201c{name}\u201d.")
        return redirect("keys")
    status = HTTPStatus.UNPROCESSABLE_ENTITY if is_post else HTTPStatus.OK
    return render(
        request, "accounts/change_limits.html", {"limits_form": form, "name": name, "who": "it"}, status=status
    )

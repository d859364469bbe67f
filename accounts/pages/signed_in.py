"""Decorators for pages of signed-in members, and of members with an active membership."""

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from typing import Concatenate, ParamSpec

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import never_cache

from accounts.members.membership import standing
from accounts.members.models import Member
from studyservice.http.error_pages import returns_input

P = ParamSpec("P")


def signed_in(request: HttpRequest) -> Member:
    """Return the member of a page under `login_required`."""
    if not isinstance(request.user, Member):
        raise TypeError("this page is for signed-in members")
    return request.user


def for_active_members(
    view: Callable[Concatenate[HttpRequest, P], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    """Decorate a page with study data: it requires a sign-in. A lapsed member gets 403 with a link to renew."""

    @returns_input
    @never_cache
    @login_required
    @wraps(view)
    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        member = signed_in(request)
        if not member.membership_is_active():
            return render(request, "accounts/lapsed.html", {"standing": standing(member)}, status=HTTPStatus.FORBIDDEN)
        return view(request, *args, **kwargs)

    return guarded

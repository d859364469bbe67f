"""Decorators for pages of signed-in members, and of members with an active membership."""

from collections.abc import Callable, Sequence
from functools import wraps
from http import HTTPStatus
from typing import Concatenate, ParamSpec
from zoneinfo import ZoneInfo

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.members.membership import standing
from accounts.members.models import Member
from studyservice.http.error_pages import returns_input
from studyservice.operations.errors import NotFound

P = ParamSpec("P")

View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]
MemberView = Callable[Concatenate[HttpRequest, Member, P], HttpResponseBase]
"""A page, as Django calls it, and as it is written for one member."""

READ = ("GET", "HEAD")
FORM = ("GET", "HEAD", "POST")
POST = ("POST",)
"""Methods of a page."""


def signed_in(request: HttpRequest) -> Member:
    """Return the member of a page under `login_required`."""
    if not isinstance(request.user, Member):
        raise TypeError("this page is for signed-in members")
    return request.user


def for_members(methods: Sequence[str]) -> Callable[[MemberView[P]], View[P]]:
    """Decorate a page of signed-in members, lapsed ones too. Others are asked to sign in. The view gets the member.

    Times are in the member's time zone. A member who is deleted meanwhile is asked to sign in, because the session is
    gone too.

    Args:
        methods: `READ`, `FORM` or `POST`.
    """

    def decorate(view: MemberView[P]) -> View[P]:
        @never_cache
        @login_required
        @require_http_methods(list(methods))
        @wraps(view)
        def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            member = signed_in(request)
            try:
                with timezone.override(ZoneInfo(member.time_zone)):
                    return view(request, member, *args, **kwargs)
            except NotFound:
                return redirect("sign-in")

        return guarded

    return decorate


def for_active_members(methods: Sequence[str]) -> Callable[[MemberView[P]], View[P]]:
    """Decorate a page with study data, like `for_members`. A lapsed member gets 403 with a link to renew.

    `NotFound` is answered with 404.
    """

    def decorate(view: MemberView[P]) -> View[P]:
        allowed = require_http_methods(list(methods))(view)

        @returns_input
        @never_cache
        @login_required
        @wraps(view)
        def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
            member = signed_in(request)
            if not member.membership_is_active():
                context = {"standing": standing(member)}
                return render(request, "accounts/lapsed.html", context, status=HTTPStatus.FORBIDDEN)
            try:
                return allowed(request, member, *args, **kwargs)
            except NotFound as error:
                raise Http404 from error

        return guarded

    return decorate

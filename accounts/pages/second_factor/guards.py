"""Access to the pages of the second factor: operators, and for changes only after a recent proof."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache

from accounts.members.models import Member
from accounts.pages.signed_in import signed_in
from accounts.signing_in.second_factor import gate

P = ParamSpec("P")

_View = Callable[Concatenate[HttpRequest, Member, P], HttpResponse]


def for_operators(view: _View[P]) -> Callable[Concatenate[HttpRequest, P], HttpResponse]:
    """Decorate a page for operators. Others are asked to sign in. The view is called with the member.

    404 if a proxy asks for the second factor; 403 for members who are not operators.
    """

    @never_cache
    @login_required
    @wraps(view)
    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if settings.ADMIN_SECOND_FACTOR == "proxy":
            raise Http404
        member = signed_in(request)
        if not member.is_staff:
            raise PermissionDenied
        return view(request, member, *args, **kwargs)

    return guarded


def for_changes(view: _View[P]) -> Callable[Concatenate[HttpRequest, P], HttpResponse]:
    """Decorate a page that changes the second factor. It needs a recent proof: the factor or, without one, a code.

    Without it, redirect to the proof. A posted form is lost.
    """

    @for_operators
    @wraps(view)
    def guarded(request: HttpRequest, member: Member, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        return _first(request, member, "second-factor-set-up") or view(request, member, *args, **kwargs)

    return guarded


def before_new_address(request: HttpRequest, member: Member) -> HttpResponse | None:
    """Return the page for the proof before an operator's address is changed, since setup codes are sent there.

    None if no proof is needed: for other members, where a proxy asks, and in a trial.
    """
    if not member.is_staff or settings.ADMIN_SECOND_FACTOR != "required":
        return None
    return _first(request, member, "new-address")


def _first(request: HttpRequest, member: Member, then: str) -> HttpResponse | None:
    """Redirect to the second factor or, without one, to a code. None if it was given recently."""
    if gate.may_change(request):
        return None
    if gate.has_one(member):
        asks = "second-factor"
    elif not gate.may_begin(request):
        asks = "second-factor-proof"
    else:
        return None
    return redirect(f"{reverse(asks)}?{urlencode({'next': reverse(then)})}")

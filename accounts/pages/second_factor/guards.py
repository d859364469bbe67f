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
    """A page for operators, who are asked to sign in. It is called with the member.

    There is none where a proxy asks for the second factor (404), and none for others (403).
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
    """A page that changes the second factor: for who gave it just now or, where there is none, entered a code.

    Others are led there; what they posted is not kept.
    """

    @for_operators
    @wraps(view)
    def guarded(request: HttpRequest, member: Member, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        return _first(request, member, "second-factor-set-up") or view(request, member, *args, **kwargs)

    return guarded


def before_new_address(request: HttpRequest, member: Member) -> HttpResponse | None:
    """The proof before an operator's address is changed, since setup codes are sent to that address.

    None where nothing is asked for: of other members, where a proxy asks, and in a trial.
    """
    if not member.is_staff or settings.ADMIN_SECOND_FACTOR != "required":
        return None
    return _first(request, member, "new-address")


def _first(request: HttpRequest, member: Member, then: str) -> HttpResponse | None:
    """Leads to the second factor or, where there is none, to a code; None if it was given just now."""
    if gate.may_change(request):
        return None
    if gate.has_one(member):
        asks = "second-factor"
    elif not gate.may_begin(request):
        asks = "second-factor-proof"
    else:
        return None
    return redirect(f"{reverse(asks)}?{urlencode({'next': reverse(then)})}")

"""Sign in with the identity provider, and connect accounts with it. Without one, these pages do not exist."""

import logging
from collections.abc import Callable
from functools import wraps
from http import HTTPStatus

from csp.decorators import csp_replace
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.signals import user_login_failed
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts import identities
from accounts.members.models import Member
from accounts.pages.attempts import attempts_are_counted, remember, too_many_attempts
from accounts.pages.proof import OF_IDENTITY, Proof, proof_code
from accounts.pages.second_factor.asking import before_change
from accounts.pages.sign_in import target_after
from accounts.pages.signed_in import FORM, for_members, signed_in
from accounts.signing_in.provider import flows
from accounts.signing_in.provider.outcomes import Identity, InvalidReturn, ProviderDown, Refused
from accounts.signing_in.sessions import begin_session, end_other_sessions
from studyservice.http.error_pages import error_page
from studyservice.identity_provider import IdentityProvider

logger = logging.getLogger(__name__)

View = Callable[[HttpRequest], HttpResponseBase]


def of_provider(view: View) -> View:
    """Decorate a page of the provider, which exists only with one. A sign-in that fails gets an error page."""

    @never_cache
    @wraps(view)
    def guarded(request: HttpRequest) -> HttpResponseBase:
        _provider()
        try:
            return view(request)
        except ProviderDown as error:
            logger.error("The identity provider fails: %s", error)  # noqa: TRY400  # the reason is enough
            return _failed(request, HTTPStatus.BAD_GATEWAY)
        except InvalidReturn as error:
            logger.warning("A sign-in with the identity provider was invalid: %s", error)
            return _failed(request, HTTPStatus.BAD_REQUEST)
        except Refused as error:
            logger.warning("A sign-in with the identity provider was refused: %s", error)
            return _failed(request, HTTPStatus.FORBIDDEN)

    return guarded


def _provider() -> IdentityProvider:
    """Return the provider, or raise `Http404`."""
    provider: IdentityProvider | None = settings.IDENTITY_PROVIDER
    if provider is None:
        raise Http404
    return provider


_PAGES = {
    HTTPStatus.BAD_GATEWAY: (
        "{name} does not answer",
        "Try again in a few minutes, or sign in with a code by e-mail. Nothing was changed.",
    ),
    HTTPStatus.BAD_REQUEST: (
        "This sign-in did not work",
        "A sign-in works once, within ten minutes, in the browser where it began. Begin again on the sign-in page.",
    ),
    HTTPStatus.FORBIDDEN: (
        "You cannot sign in with {name}",
        (
            "If you have an account here, sign in with a code by e-mail, then connect it with {name} on your account "
            "page. If you were invited, open the link in the invitation. Otherwise ask the people who run this service."
        ),
    ),
}


def _failed(request: HttpRequest, status: HTTPStatus) -> HttpResponse:
    """Return the page of the failure. Each status has one, whatever the reason, so that it reveals nothing."""
    if status is not HTTPStatus.BAD_GATEWAY:
        user_login_failed.send(__name__, credentials={"provider": "***"}, request=request)
    title, text = (words.format(name=_provider().name) for words in _PAGES[status])
    return error_page(request, status, title, text)


@of_provider
@require_http_methods(["GET"])
def begin(request: HttpRequest) -> HttpResponse:
    """Redirect to the provider. Who is signed in continues at once."""
    target = target_after(request)
    if request.user.is_authenticated:
        return HttpResponseRedirect(target)
    return too_many_attempts(request) or _to_provider(target)


def _to_provider(target: str, member: Member | None = None) -> HttpResponse:
    """Redirect to the provider, to sign in or to connect the account of `member`.

    Raises:
        ProviderDown: the provider does not answer.
    """
    from accounts.signing_in.provider.tokens import authorization_url  # noqa: PLC0415  # loads libraries that most installations do not need

    flow = flows.begin(target, member)
    response = HttpResponseRedirect(authorization_url(_provider(), flow))
    flows.remember(response, flow)
    return response


def finish(request: HttpRequest) -> HttpResponseBase:
    """End the sign-in that returns from the provider."""
    response = _finish(request)
    flows.forget(request, response)
    return response


@of_provider
@require_http_methods(["GET"])
def _finish(request: HttpRequest) -> HttpResponse:
    from accounts.signing_in.provider.tokens import identity_of, require_issuer  # noqa: PLC0415  # as above

    provider, ended = _provider(), flows.end(request)
    if ended is None:
        raise InvalidReturn("this browser did not begin it, or it is over")
    if ended.member_id is not None and ended.member_id != request.user.pk:
        raise InvalidReturn("who began to connect the account is no longer signed in")
    require_issuer(provider, request.GET.get("iss"))
    _require_success(request.GET.get("error"))
    identity = identity_of(provider, ended.flow, request.GET.get("code", ""))
    if ended.member_id is not None:
        return _connect(request, signed_in(request), identity, ended.target)
    member = identities.member_of(identity, provider)
    if not begin_session(request, member, "provider", provider.name):
        raise Refused("the account may not sign in")
    response = HttpResponseRedirect(ended.target)
    remember(request, response, member.email)
    return response


def _require_success(error: str | None) -> None:
    """Check that the provider let the person in (OpenID Connect Core 1.0, 3.1.2.6)."""
    if error == "access_denied":
        raise Refused("the provider denies access, or the person went back")
    if error is not None:
        raise ProviderDown(f"it answered the sign-in with the error {error!r:.100}")


def _connect(request: HttpRequest, member: Member, identity: Identity, target: str) -> HttpResponse:
    name = _provider().name
    try:
        identities.connect(member, identity, _provider())
    except Refused as error:
        logger.warning("An account was not connected with the identity provider: %s", error)
        return error_page(
            request,
            HTTPStatus.FORBIDDEN,
            f"Not connected with {name}",
            f"Your account at {name} already opens another account here, or this one is connected with another account "
            "there. Nothing was changed.",
        )
    messages.success(request, f"Your account is connected with {name}.")
    return HttpResponseRedirect(target)


@of_provider
@csp_replace({"form-action": None})  # the provider may redirect further, to any address
@sensitive_post_parameters("current_password", "code")
@for_members(FORM)
@attempts_are_counted
def identity(request: HttpRequest, member: Member) -> HttpResponse:
    """Connect the account with the provider, or disconnect it, after the proof that changing the address asks for."""
    if first := before_change(request, member, "identity"):
        return first
    proof = Proof(request, member, OF_IDENTITY)
    form = Form(request.POST if request.method == "POST" else None)
    disconnects = request.POST.get("do") == "disconnect"
    answer = proof.answer(
        form, lambda: _disconnect(request, member) if disconnects else _to_provider(reverse("account"), member)
    )
    if answer is not None:
        return answer
    provider = _provider()
    context = {
        "provider": provider,
        "identity": identities.identity_of_member(member, provider.issuer),
        "proof": proof,
    }
    return render(request, "accounts/identity.html", context)


@of_provider
@attempts_are_counted
def identity_code(request: HttpRequest) -> HttpResponseBase:
    """E-mail a code as proof."""
    return proof_code(request, change=OF_IDENTITY)


def _disconnect(request: HttpRequest, member: Member) -> HttpResponse:
    name = _provider().name
    if identities.disconnect(member, _provider()):
        end_other_sessions(request, member)
        messages.success(request, f"Your account is disconnected from {name}. Other browsers were signed out.")
    return redirect("account")

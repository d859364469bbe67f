"""Sign in with the identity provider. Without one (`OIDC_ISSUER`), these pages do not exist."""

import logging
from collections.abc import Callable
from functools import wraps
from http import HTTPStatus

from django.conf import settings
from django.contrib.auth.signals import user_login_failed
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts import identities
from accounts.members.models import Member
from accounts.pages.attempts import remember, too_many_attempts
from accounts.pages.sign_in import target_after
from accounts.signing_in.provider import flows
from accounts.signing_in.provider.outcomes import InvalidReturn, ProviderDown, Refused
from accounts.signing_in.sessions import begin_session
from studyservice.http.error_pages import error_page
from studyservice.identity_provider import IdentityProvider

logger = logging.getLogger(__name__)

View = Callable[[HttpRequest, IdentityProvider], HttpResponse]


def of_provider(view: View) -> Callable[[HttpRequest], HttpResponse]:
    """Decorate a page of the provider, which exists only with one. A sign-in that fails gets an error page."""

    @never_cache
    @wraps(view)
    def guarded(request: HttpRequest) -> HttpResponse:
        provider: IdentityProvider | None = settings.IDENTITY_PROVIDER
        if provider is None:
            raise Http404
        try:
            return view(request, provider)
        except ProviderDown as error:
            logger.error("The identity provider fails: %s", error)  # noqa: TRY400  # the reason is enough
            return _failed(request, provider, HTTPStatus.BAD_GATEWAY)
        except InvalidReturn as error:
            logger.warning("A sign-in with the identity provider was invalid: %s", error)
            return _failed(request, provider, HTTPStatus.BAD_REQUEST)
        except Refused as error:
            logger.info("A sign-in with the identity provider was refused: %s", error)
            return _failed(request, provider, HTTPStatus.FORBIDDEN)

    return guarded


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
        "You cannot come in with {name}",
        (
            "If you have an account here, sign in with a code by e-mail, then connect it with {name} on your account "
            "page. Otherwise ask the people who run this service for one."
        ),
    ),
}


def _failed(request: HttpRequest, provider: IdentityProvider, status: HTTPStatus) -> HttpResponse:
    """Return the page of the failure. Each status has one, whatever the reason, so that it reveals nothing."""
    if status is not HTTPStatus.BAD_GATEWAY:
        user_login_failed.send(__name__, credentials={"provider": "***"}, request=request)
    title, text = _PAGES[status]
    return error_page(request, status, title.format(name=provider.name), text.format(name=provider.name))


@of_provider
@require_http_methods(["GET"])
def begin(request: HttpRequest, provider: IdentityProvider) -> HttpResponse:
    """Redirect to the provider. Who is signed in continues at once."""
    target = target_after(request)
    if request.user.is_authenticated:
        return HttpResponseRedirect(target)
    return too_many_attempts(request) or to_provider(provider, target)


def to_provider(provider: IdentityProvider, target: str, member: Member | None = None) -> HttpResponse:
    """Redirect to the provider, to sign in or to connect the account of `member`.

    Raises:
        ProviderDown: the provider does not answer.
    """
    from accounts.signing_in.provider.tokens import authorization_url  # noqa: PLC0415  # loads libraries that most installations do not need

    flow = flows.begin(target, member)
    response = HttpResponseRedirect(authorization_url(provider, flow))
    flows.remember(response, flow)
    return response


def finish(request: HttpRequest) -> HttpResponse:
    """End the sign-in that returns from the provider."""
    response = _finish(request)
    flows.forget(request, response)
    return response


@of_provider
@require_http_methods(["GET"])
def _finish(request: HttpRequest, provider: IdentityProvider) -> HttpResponse:
    from accounts.signing_in.provider.tokens import identity_of, require_issuer  # noqa: PLC0415  # as above

    ended = flows.end(request)
    if ended is None:
        raise InvalidReturn("this browser did not begin it, or it is over")
    require_issuer(provider, request.GET.get("iss"))
    _require_success(request.GET.get("error"))
    identity = identity_of(provider, ended.flow, request.GET.get("code", ""))
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

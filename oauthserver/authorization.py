"""The authorization endpoint and its consent page (RFC 6749 section 4.1.1).

The request stays in the URL, from the first visit through sign-in to the posted consent, and is fully checked each
time. Errors about the client or its redirect URI are shown on a page. All others are sent to the app, but only once the
member has signed in (RFC 9700 section 4.11.2).
"""

from http import HTTPStatus
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from django.views.generic import View
from oauth2_provider.exceptions import FatalClientError, OAuthToolkitError
from oauth2_provider.http import OAuth2ResponseRedirect
from oauth2_provider.views.mixins import OAuthLibMixin
from oauthlib.oauth2.rfc6749 import errors

from accounts.events import EventKind, Subject, record_event
from accounts.members.membership import standing
from accounts.models import Member
from accounts.pages.limits import LimitsForm
from oauthserver.clients import Parameters, locked_app, resource_from
from oauthserver.consents import (
    consents_beyond,
    end_families,
    families_of,
    is_blocked,
    last_consent,
    limit_app,
    scopes_from,
    written,
)
from oauthserver.metadata_documents import DocumentRefused
from oauthserver.models import Application
from oauthserver.redirect_uris import destination_of
from oauthserver.server import answer_uri
from studyservice.changes.writing import writing
from studyservice.http.error_pages import error_page
from studyservice.http.requests import CALLER, client_address
from studyservice.operations.declaration import Scope
from studyservice.operations.errors import NotFound
from studyservice.rows.limits import Limits

_FOR_OAUTHLIB = ("client_id", "redirect_uri", "response_type", "state", "code_challenge", "code_challenge_method")


@method_decorator(never_cache, name="dispatch")
class AuthorizationView(OAuthLibMixin, View):
    """`/oauth/authorize`.

    Attributes:
        asked: the request.
        scopes: the requested ones.
        credentials: the request as oauthlib checked it.
        app: the requesting app.
        redirect_uri: where the answer is sent.
        member: the signed-in member.
    """

    http_method_names = ("get", "head", "post")

    asked: Parameters
    scopes: frozenset[Scope]
    credentials: dict[str, Any]
    app: Application
    redirect_uri: str
    member: Member

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Check the whole request, sign the member in, then show the consent page or answer."""
        try:
            self.asked = Parameters(request.META.get("QUERY_STRING", ""))
        except errors.InvalidRequestError as error:
            return _error_page(request, "The request could not be read", f"{error.description} {_START_AGAIN}")
        self.scopes = scopes_from(self.asked.get("scope"))
        if is_blocked(self.asked.get("client_id")):
            return self._blocked(request)
        refusal: dict[str, str] | None = None
        try:
            self._check()
        except FatalClientError as error:
            return self._fatal(request, error.oauthlib_error)
        except OAuthToolkitError as error:
            said = error.oauthlib_error
            self.redirect_uri = said.redirect_uri
            self.app = Application.objects.get(client_id=self.asked["client_id"])
            refusal = {"error": said.error, "error_description": said.description or _NOT_OFFERED}
        except errors.OAuth2Error as error:
            refusal = dict(error.twotuples)
        if not isinstance(request.user, Member):
            return redirect_to_login(request.get_full_path())
        self.member = request.user
        if refusal is not None:
            return self._answer(**refusal)
        return super().dispatch(request, *args, **kwargs)

    def _check(self) -> None:
        """Check everything about the request.

        Raises:
            FatalClientError: the client or the redirect URI is wrong (RFC 6749 section 4.1.2.1).
            OAuthToolkitError: oauthlib refuses something else.
            OAuth2Error: we do.
        """
        asked = self.asked.only(*_FOR_OAUTHLIB, scope=written(self.scopes), client_address=client_address(self.request))
        _, self.credentials = self.validate_authorization_request(asked)
        self.app = self.credentials["request"].client
        CALLER.set(self.request, {"client_id": self.app.client_id})
        self.redirect_uri = self.credentials["redirect_uri"]
        if self.asked.get("response_mode", "query") != "query":
            raise errors.InvalidRequestError("response_mode is query.")
        self.credentials["resource"] = resource_from(self.asked.resources)
        self.credentials["redirect_uri_sent"] = "redirect_uri" in self.asked

    def get(self, request: HttpRequest) -> HttpResponseBase:
        """Show the consent page."""
        return self._asking(request, *self._form(None))

    def _form(self, posted: QueryDict | None) -> tuple[LimitsForm, dict[str, Any]]:
        """Return the form, which starts with what the member's last consent allowed, and what else the page shows."""
        limits, may_write = last_consent(self.member, self.app.pk)
        form = LimitsForm(posted, self.member, limits=limits)
        ticked = may_write if posted is None else "write" in posted
        return form, {"limits_form": form, "last_limits": form.in_a_phrase(limits), "write_ticked": ticked}

    def _asking(self, request: HttpRequest, limits: LimitsForm, shown: dict[str, Any]) -> HttpResponse:
        context = shown | {
            "app": self.app,
            "destination": destination_of(self.redirect_uri),
            "redirect_uri": self.redirect_uri,
            "writes": Scope.WRITE in self.scopes,
            "query": request.META["QUERY_STRING"],
            "standing": standing(self.member),
        }
        status = HTTPStatus.UNPROCESSABLE_ENTITY if limits.errors else HTTPStatus.OK
        return render(request, "oauthserver/authorize.html", context, status=status)

    def post(self, request: HttpRequest) -> HttpResponseBase:
        """Act on the member's decision. Without one, show the page again."""
        decision = request.POST.get("decision")
        if decision == "deny":
            return self._answer(error="access_denied", error_description="The member did not allow it.")
        if decision != "allow":
            return self.get(request)
        form, shown = self._form(request.POST)
        if not form.is_valid():
            return self._asking(request, form, shown)
        scopes = self.scopes if "write" in request.POST else self.scopes - {Scope.WRITE}
        try:
            return self._redirect(self._consented(request, scopes, form.limits()))
        except errors.FatalClientError as error:
            return self._fatal(request, error)
        except NotFound:  # the member was deleted meanwhile, and the session with it
            return redirect_to_login(request.get_full_path())

    def _consented(self, request: HttpRequest, scopes: frozenset[Scope], limits: Limits) -> str:
        """Return the redirect with a new code. The member's lock orders this before or after a disconnection.

        Granting only read access applies to the app, not just this connection: connections that could write end.
        Likewise for limits: connections that saw more end, and the others get the new limits.
        """
        server = self.get_oauthlib_core().server
        with writing(self.member.id):
            if locked_app(self.app.client_id) is None:
                raise errors.InvalidClientIdError  # the registration was removed meanwhile
            if Scope.WRITE not in scopes:
                ended = families_of(user=self.member, application=self.app, scope__contains=Scope.WRITE)
                end_families(self.member.id, ended)
            end_families(self.member.id, consents_beyond(self.member.id, self.app.pk, limits))
            limit_app(self.member.id, self.app.pk, limits)
            headers, _, _ = server.create_authorization_response(
                uri=request.path,
                http_method="POST",
                scopes=sorted(scopes),
                credentials=self.credentials | {"client": self.app, "user": self.member, "limits": limits.stored()},
            )
            detail = ("may change data" if Scope.WRITE in scopes else "may only read") + limits.in_short()
            subject = Subject("app", self.app.pk, self.app.name)
            record_event(self.member.id, EventKind.APP_CONNECTED, subject, detail=detail)
        return str(headers["Location"])

    def _answer(self, **answer: str | None) -> HttpResponse:
        """Redirect to the app with the error (RFC 6749 section 4.1.2.1)."""
        return self._redirect(answer_uri(self.redirect_uri, answer | {"state": self.asked.get("state")}))

    def _redirect(self, uri: str) -> HttpResponse:
        response: HttpResponse = OAuth2ResponseRedirect(uri, self.app.get_allowed_schemes())
        return response

    def _blocked(self, request: HttpRequest) -> HttpResponse:
        """Tell the member that the app is blocked. The app gets no answer."""
        app = Application.objects.filter(client_id=self.asked.get("client_id")).first()
        title = f"{app.name if app else 'This app'} is blocked"
        return error_page(request, HTTPStatus.FORBIDDEN, title, _BLOCKED)

    def _fatal(self, request: HttpRequest, error: Exception) -> HttpResponse:
        if isinstance(error, DocumentRefused):
            said = error.refusal
            return error_page(request, said.status, said.title, said.text, headers=said.headers)
        app = Application.objects.filter(client_id=self.asked.get("client_id")).first()
        if app is None:
            return _error_page(request, "This app is not known here", _UNKNOWN)
        return _error_page(request, f"{app.name} could not be connected", f"{_MISMATCH} {_START_AGAIN}")


_NOT_OFFERED = "The request asks for something that this service does not offer."
_START_AGAIN = "Go back to the app and start again; if it happens again, tell the app's developers."
_UNKNOWN = (
    "The app that sent you here is not registered with us, or no longer is. "
    "Go back to the app, remove the connection there and add it again."
)
_BLOCKED = (
    "This app was blocked by the operators of this service, so it cannot be connected. Nothing was shared with it now. "
    "What you connected before is listed under Keys and apps."
)
_MISMATCH = (
    "It asked us to send you to an address that it has not registered (its redirect URI), so nothing was shared."
)


def _error_page(request: HttpRequest, title: str, text: str) -> HttpResponse:
    return error_page(request, HTTPStatus.BAD_REQUEST, title, text)

"""Sign in with a code or a password, join by an invitation, and sign out.

No page reveals whether an address belongs to a member.
"""

from http import HTTPStatus
from uuid import UUID

from django.conf import settings
from django.contrib.auth import authenticate, logout
from django.contrib.auth.signals import user_login_failed
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.deprecation import MiddlewareMixin
from django.utils.http import MAX_URL_REDIRECT_LENGTH, url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts.credentials.connections import CONNECTED_APPS
from accounts.joining import accept, add_member, live_invitation
from accounts.members.models import Member
from accounts.pages.account_forms import CodeForm, EmailForm, PasswordForm
from accounts.pages.attempts import attempts_are_counted, remember, too_many_codes, too_many_elsewhere, try_password
from accounts.signing_in.codes import CodeRefusal, member_of, send_code, use_code
from accounts.signing_in.models import SignInCode
from accounts.signing_in.second_factor import gate
from accounts.signing_in.sessions import PENDING_SIGN_IN, begin_session
from studyservice.http.error_pages import error_page
from studyservice.http.forms import counts_posts
from studyservice.rates.limiter import Rate
from studyservice.secrets.generated import sha256
from studyservice.secrets.hashing import HashingBusy


def target_after(request: HttpRequest, home: str = "home") -> str:
    """Return the address in `next` if it is on this site; without one `home`, and for a foreign one the key page.

    The query is not checked: it cannot lead elsewhere, an app's `state` can be long, and Django refuses more than 2,048
    characters. A bare word is not an address; Django would treat it as the name of a view.
    """
    target = request.POST.get("next") or request.GET.get("next") or ""
    if not target:
        return reverse(home)
    leads = target.partition("?")[0]
    usable = leads.startswith(("/", "http://", "https://")) and len(target) <= MAX_URL_REDIRECT_LENGTH
    own = url_has_allowed_host_and_scheme(leads, {request.get_host()}, require_https=request.is_secure())
    return target if usable and own else reverse("keys")


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
@attempts_are_counted
def sign_in(request: HttpRequest) -> HttpResponse:
    """Show two forms: an address requests a code, an address and a password sign in."""
    if request.method != "POST":
        if request.user.is_authenticated:
            return HttpResponseRedirect(target_after(request))
        return _sign_in_page(request)
    return _with_password(request) if "password" in request.POST else _with_code(request)


def _with_code(request: HttpRequest) -> HttpResponse:
    form = EmailForm(request.POST, auto_id="code_%s")
    if not form.is_valid():
        return _sign_in_page(request, code_form=form)
    email = form.cleaned_data["email"]
    if refused := too_many_elsewhere(request, email):
        return refused
    if refused := too_many_codes(request, email):
        return refused
    request.session[PENDING_SIGN_IN] = {"id": str(send_code(email)), "email": email}
    return redirect(_with_next(request, "sign-in-code"))


def _with_password(request: HttpRequest) -> HttpResponse:
    form = PasswordForm(request.POST, auto_id="password_%s")
    if form.is_valid():
        email, password = form.cleaned_data["email"], form.cleaned_data["password"]
        if refused := too_many_elsewhere(request, email):
            return refused
        member = try_password(request, email, lambda: authenticate(request, username=email, password=password))
        if isinstance(member, HttpResponse):
            return member
        if isinstance(member, Member) and begin_session(request, member, "password"):
            return _signed_in(request, member)
        form.add_error(None, "Wrong address or password. Try again, or get a code instead.")
    return _sign_in_page(request, password_form=form)


def _sign_in_page(
    request: HttpRequest, *, code_form: EmailForm | None = None, password_form: PasswordForm | None = None
) -> HttpResponse:
    target = target_after(request)
    context = {
        "asking": CONNECTED_APPS.get().asking(target),
        "code_form": code_form or EmailForm(auto_id="code_%s"),
        "password_form": password_form or PasswordForm(auto_id="password_%s"),
        "next": target,
        "failed": bool(code_form or password_form),
        "sign_up": settings.SIGN_UP,
        "provider": settings.IDENTITY_PROVIDER,
    }
    return render(request, "accounts/sign_in.html", context)


@never_cache
@sensitive_post_parameters("code")
@require_http_methods(["GET", "HEAD", "POST"])
@attempts_are_counted
def sign_in_code(request: HttpRequest) -> HttpResponse:
    """Accept the code, only in the browser that asked for it."""
    pending = request.session.get(PENDING_SIGN_IN)
    if pending is None:
        return redirect(_with_next(request, "sign-in"))
    if request.method == "POST" and (refused := too_many_elsewhere(request, pending["email"])):
        return refused
    form = CodeForm(request.POST if request.method == "POST" else None)
    usable = True
    if request.method == "POST" and form.is_valid():
        used = use_code(UUID(pending["id"]), form.cleaned_data["code"])
        outcome = used if isinstance(used, CodeRefusal) else _member_of(used, pending["email"])
        if isinstance(outcome, Member):
            if begin_session(request, outcome, "code"):
                return _signed_in(request, outcome)
            outcome = CodeRefusal.GONE
        user_login_failed.send(__name__, credentials={"code": "***"}, request=request)
        usable = form.refuse(outcome)
    context = {"form": form, "email": pending["email"], "next": target_after(request), "usable": usable}
    context["sign_up"] = settings.SIGN_UP
    return render(request, "accounts/sign_in_code.html", context)


def _member_of(code: SignInCode, email: str) -> Member | CodeRefusal:
    """Return the member of a correct code, or a new one if the code was sent for joining and joining is still open."""
    member = add_member(email) if code.joins and settings.SIGN_UP == "open" else member_of(code)
    return member or CodeRefusal.GONE


def _signed_in(request: HttpRequest, member: Member) -> HttpResponse:
    """Begin the member's session and redirect to the target."""
    request.session.pop(PENDING_SIGN_IN, None)
    response = HttpResponseRedirect(target_after(request))
    remember(request, response, member.email)
    return response


def _with_next(request: HttpRequest, name: str) -> str:
    """Return the URL of a page with the target as `next`."""
    return reverse(name, query={"next": target_after(request)})


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def sign_out(request: HttpRequest) -> HttpResponse:
    """Ask on GET, end the session on POST."""
    if request.method != "POST":
        return render(request, "accounts/sign_out.html")
    logout(request)
    return redirect("home")


@never_cache
@require_http_methods(["POST"])
def sign_in_as_another(request: HttpRequest) -> HttpResponse:
    """Sign out and show the sign-in page with the same target."""
    address = _with_next(request, "sign-in")
    logout(request)
    return HttpResponseRedirect(address)


@never_cache
def admin_sign_in(request: HttpRequest) -> HttpResponse:
    """Sign in to the admin through the members' sign-in and its limits. Operators continue to the second factor.

    Raises:
        PermissionDenied: the signed-in member may not use the admin.
    """
    if request.user.is_authenticated and not request.user.is_staff:
        raise PermissionDenied
    target = request.GET.get("next") or reverse("admin:index")
    if request.user.is_authenticated and not gate.may_enter(request):
        return redirect(reverse("second-factor", query={"next": target}))
    return redirect(reverse(settings.LOGIN_URL, query={"next": target}))


INVITATION = "invitation"
"""Session entry: the hash of the link's secret, to remove the secret from the address bar and from referrers."""


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@counts_posts(Rate.JOINING, "Too many people are joining from your network")
def join(request: HttpRequest) -> HttpResponse:
    """Ask on GET. POST creates the member and signs in."""
    secret = request.GET.get("invitation")
    if secret and request.method != "POST":
        secret_hash = sha256(secret)
        if live_invitation(secret_hash) is None:  # store nothing for an invented link
            return _ended(request)
        request.session[INVITATION] = secret_hash
        return redirect("join")
    secret_hash = request.session.get(INVITATION, "")
    if request.method != "POST":
        invitation = live_invitation(secret_hash)
        if invitation is None:
            return _ended(request)
        context = {"email": invitation.email, "provider": settings.IDENTITY_PROVIDER}
        return render(request, "accounts/join.html", context)
    member = accept(secret_hash)
    if member is None or not begin_session(request, member, "invitation"):
        return _ended(request)
    request.session.pop(INVITATION, None)
    response = redirect("home")
    remember(request, response, member.email)
    return response


def _ended(request: HttpRequest) -> HttpResponse:
    return error_page(
        request,
        HTTPStatus.NOT_FOUND,
        "This invitation no longer works",
        "It works once, within seven days. If you have already joined, sign in. Otherwise ask for a new one.",
    )


RETRY_SECONDS = 1


class HashingBusyMiddleware(MiddlewareMixin):
    """Renders `HashingBusy` as a page wherever a password is hashed, in the admin too."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Return 503 with `Retry-After`. Nothing was checked or changed."""
        if not isinstance(exception, HashingBusy):
            return None
        return error_page(
            request,
            HTTPStatus.SERVICE_UNAVAILABLE,
            "Many people are signing in",
            "Your password was not checked yet. Wait a moment, then reload this page to send the form again.",
            headers={"Retry-After": str(RETRY_SECONDS)},
        )

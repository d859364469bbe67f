"""The operators' site: Django's admin with rate limits, and a front page that answers a few questions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib.admin import AdminSite
from django.db.models import Count, Min, Q
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, URLResolver, reverse
from django.utils import timezone

from accounts.joining import Invitation
from accounts.members.last_runs import schedules
from accounts.members.models import Member
from accounts.members.outbox import OutgoingMail
from accounts.operators.lists import counted
from accounts.signing_in.second_factor.gate import may_enter
from studyservice import __version__
from studyservice.hooks import Hook, HookList
from studyservice.http.error_pages import too_many
from studyservice.http.requests import client_address
from studyservice.rates.limiter import Rate, hit
from studyservice.server.health import readiness
from studyservice.server.signals import BACKUP

MOST_ROWS = 5


@dataclass(frozen=True, slots=True)
class PanelRow:
    """A line of an answer.

    Attributes:
        url: page with details; empty if there is none.
        at: when it happened.
        bad: whether an operator must act.
    """

    text: str
    url: str = ""
    at: datetime | None = None
    bad: bool = False


@dataclass(frozen=True, slots=True)
class Panel:
    """The answer to one question.

    Attributes:
        permission: required to see it; empty for every operator.
        rows: reads them.
        otherwise: the text if there are no rows.
        url: the list with all of them.
    """

    question: str
    rows: Callable[[], Sequence[PanelRow]]
    otherwise: str = ""
    permission: str = ""
    url: Callable[[], str] = str


REFUSED_CALLS = Hook[Panel]("REFUSED_CALLS")
"""The answer about refused calls of apps and keys."""

ALSO_WAITING = HookList[Callable[[], Sequence[PanelRow]]]("ALSO_WAITING")
"""More rows of what waits, each in one query."""


def _health() -> list[PanelRow]:
    """Run the checks on the probes' own connection. Each failed part is a row."""
    down = [name.replace("_", " ") for name, well in readiness().items() if not well]
    if not down:
        return [PanelRow(f"Healthy. Version {__version__}.")]
    return [PanelRow(f"Down: {name}. Run checkinstall.", url="/docs/bad-days", bad=True) for name in down]


def _joined() -> list[PanelRow]:
    newest = Member.objects.order_by("-created_at").values_list("id", "email", "created_at")[:MOST_ROWS]
    return [PanelRow(email, reverse("admin:accounts_member_change", args=[key]), at) for key, email, at in newest]


def _schedules() -> list[PanelRow]:
    found = []
    for schedule in schedules():
        never = "none here yet" if schedule.name == BACKUP else "has never run" if schedule.late else "nothing due yet"
        text = schedule.name if schedule.last else f"{schedule.name}: {never}"
        late = " is late" if schedule.late and schedule.last else ""
        guide = "/docs/bad-days#back-up-and-restore" if schedule.name == BACKUP else "/docs/operating#commands"
        found.append(PanelRow(f"{text}{late}", guide if schedule.late else "", schedule.last, schedule.late))
    return found


def _waiting() -> list[PanelRow]:
    now = timezone.now()
    mails = OutgoingMail.objects.aggregate(
        number=Count("id"), tried=Count("id", filter=Q(attempts__gt=1)), oldest=Min("created_at")
    )
    invited = Invitation.objects.filter(expires_at__gt=now).count()
    erasing = Member.objects.filter(erasure_began_at__isnull=False).aggregate(
        number=Count("id"), oldest=Min("erasure_began_at")
    )
    found = []
    if mails["number"]:
        tried = f", {mails['tried']} failed before" if mails["tried"] else ""
        text = f"{counted(mails['number'], 'e-mail')} to send{tried}"
        found.append(PanelRow(text, "/docs/operating#e-mails", mails["oldest"], bool(mails["tried"])))
    if invited:
        found.append(
            PanelRow(f"{counted(invited, 'invitation')} not accepted", reverse("admin:accounts_invitation_changelist"))
        )
    if erasing["number"]:
        text = f"{counted(erasing['number'], 'member')} being deleted"
        found.append(PanelRow(text, "/docs/operating#deleting-a-member", erasing["oldest"]))
    for more in ALSO_WAITING:
        found += more()
    return found


def _answers(request: HttpRequest) -> list[Panel]:
    """Return the answers that the operator may see, in order. The template reads their rows."""
    members = "accounts.view_member"
    found = (
        Panel("Is it healthy?", _health),
        Panel("Who joined?", _joined, "Nobody yet.", members, lambda: reverse("admin:accounts_member_changelist")),
        REFUSED_CALLS.get(),
        Panel("Which schedules ran?", _schedules),
        Panel("What waits?", _waiting, "Nothing.", members),
    )
    return [answer for answer in found if not answer.permission or request.user.has_perm(answer.permission)]


class OperatorSite(AdminSite):
    """Counts requests for every page below `/admin/`, first by client address, then by user."""

    site_header = site_title = settings.SERVICE_NAME
    index_title = "Operators"
    index_template = "admin/front_page.html"
    enable_nav_sidebar = False  # its 290 pixels are needed for the lists, and the index links to every page too

    def get_urls(self) -> list[URLPattern | URLResolver]:
        """Return Django's routes, except links from the admin to a row's page on the site, which no row has."""
        return [route for route in super().get_urls() if getattr(route, "name", None) != "view_on_site"]

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """Render Django's index below the front page's answers."""
        return super().index(request, {"answers": _answers(request)} | (extra_context or {}))

    def has_permission(self, request: HttpRequest) -> bool:
        """Return whether the user is an operator who proved the second factor. Django sends others to the sign-in."""
        return super().has_permission(request) and may_enter(request)

    def admin_view(self, view: Callable[..., Any], cacheable: bool = False) -> Any:
        """Wrap `view` in the rate limits and the check for operators."""
        guarded = super().admin_view(view, cacheable)

        @wraps(guarded)
        def counted(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            window = hit(Rate.ADMIN, client_address(request))
            if not window.exceeded and request.user.is_authenticated:
                window = hit(Rate.ADMIN, f"member:{request.user.pk}")
            if window.exceeded:
                return too_many(request, window, "Too many requests")
            response: HttpResponse = guarded(request, *args, **kwargs)
            return response

        return counted

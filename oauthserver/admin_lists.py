"""Lists of apps and connections: times of calls, filters, and refused calls on the operators' front page."""

from datetime import datetime, timedelta
from operator import attrgetter
from typing import ClassVar

from django.db.models import Exists, Max, OuterRef, Q, QuerySet, Subquery
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.timezone import localtime

from accounts.credentials.connections import Refusal
from accounts.credentials.models import ApiKey
from accounts.operators.lists import MOST_ROWS, BoundedCount, Conditions, StateFilter
from accounts.operators.site import MOST_ROWS as MOST_SHOWN
from accounts.operators.site import Panel, PanelRow
from oauthserver.consents import blocked_by
from oauthserver.models import Application, Grant, RefreshToken


def with_calls(apps: QuerySet[Application]) -> QuerySet[Application]:
    """Annotate apps with their block, their members, and the recorded calls of their connections.

    The times come from `accounts.credentials.uses` and may be five minutes late.
    """
    consents = Grant.objects.filter(application=OuterRef("pk"))
    newest = consents.order_by().values("application").annotate(newest=Max("last_call_at"))  # without sorting
    return apps.annotate(
        is_blocked=blocked_by("client_id"),
        members=BoundedCount(consents, "user"),
        last_call_at=Subquery(newest.values("newest")),
        refused_members=BoundedCount(consents.filter(refused_at__gte=a_day_ago()), "user"),
    )


def last_refusal(app: Application) -> Grant | None:
    """Return the app's consent with the latest refused call, or None."""
    return Grant.objects.filter(application=app, refused_at__isnull=False).order_by("-refused_at").first()


def up_to(number: int) -> str:
    """Format a number that was counted up to a bound."""
    return f"{MOST_ROWS:,} or more" if number >= MOST_ROWS else str(number)


def refused_in_words(row: Grant | RefreshToken) -> str | None:
    """Return the time and reason of a row's last refused call."""
    at, refusal = getattr(row, "refused_at", None), getattr(row, "refusal", "")
    return f"{date_format(localtime(at), 'DATETIME_FORMAT')}: {Refusal(refusal).label}" if at and refusal else None


def a_day_ago() -> datetime:
    """Return the moment from which a refused call counts as recent."""
    return timezone.now() - timedelta(days=1)


class UseFilter(StateFilter):
    """Filter by whether an app ever got a token."""

    title = "use"
    parameter_name = "use"
    states: ClassVar[Conditions] = {
        "never": ("Never used", lambda: Q(first_token_at=None)),
        "used": ("Used", lambda: Q(first_token_at__isnull=False)),
    }


class BlockFilter(StateFilter):
    """Filter by whether an app is blocked."""

    title = "block"
    parameter_name = "block"
    states: ClassVar[Conditions] = {
        "blocked": ("Blocked", lambda: Q(blocked_by("client_id"))),
        "open": ("Not blocked", lambda: ~Q(blocked_by("client_id"))),
    }


class RefusedFilter(StateFilter):
    """Filter by whether a call of an app was refused recently."""

    title = "refused calls"
    parameter_name = "refused"
    states: ClassVar[Conditions] = {"day": ("In the last day", lambda: Q(Exists(_refused_today())))}


def _refused_today() -> QuerySet[Grant]:
    return Grant.objects.filter(application=OuterRef("pk"), refused_at__gte=a_day_ago())


def _rows() -> list[PanelRow]:
    """Return the newest refusals of both, in two queries."""
    return sorted([*_of_apps(), *_of_keys()], key=attrgetter("at"), reverse=True)[:MOST_SHOWN]


def _of_apps() -> list[PanelRow]:
    grants = Grant.objects.filter(refused_at__gte=a_day_ago()).order_by("-refused_at")
    newest = grants.values_list("application_id", "application__name", "refusal", "refused_at")[:MOST_SHOWN]
    return [
        PanelRow(f"{name}: {Refusal(refusal).label}", reverse("admin:oauthserver_application_change", args=[key]), at)
        for key, name, refusal, at in newest
    ]


def _of_keys() -> list[PanelRow]:
    newest = ApiKey.objects.filter(refused_at__gte=a_day_ago()).order_by("-refused_at")
    return [
        PanelRow(
            f"{key}: {key.refused_in_words()}", reverse("admin:accounts_apikey_change", args=[key.pk]), key.refused_at
        )
        for key in newest.only("name", "hint", "refused_at", "refusal")[:MOST_SHOWN]
    ]


REFUSED = Panel(
    "What was refused in the last day?",
    _rows,
    "No call of an app or a key.",
    permission="oauthserver.view_application",
    url=lambda: reverse("admin:oauthserver_application_changelist", query={"refused": "day"}),
)

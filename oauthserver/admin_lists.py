"""Shared by the lists of apps and connections: times of calls, and filters."""

from datetime import datetime, timedelta
from typing import ClassVar

from django.db.models import Exists, Max, OuterRef, Q, QuerySet, Subquery
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.timezone import localtime

from accounts.credentials.connections import Refusal
from accounts.operators.lists import MOST_ROWS, BoundedCount, Conditions, StateFilter
from oauthserver.blocking import blocked_by
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

"""Shared by the lists of apps and connections: times of calls, and filters."""

from datetime import datetime, timedelta
from typing import Any

from django.contrib import admin
from django.db.models import Exists, Max, OuterRef, QuerySet, Subquery
from django.http import HttpRequest
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.timezone import localtime

from accounts.credentials.connections import Refusal
from accounts.operators.base import MOST_ROWS, BoundedCount
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


class UseFilter(admin.SimpleListFilter):
    """Filter by whether an app ever got a token."""

    title = "use"
    parameter_name = "use"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("never", "Never used"), ("used", "Used")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Application]) -> QuerySet[Application]:
        match self.value():
            case "never":
                return queryset.filter(first_token_at=None)
            case "used":
                return queryset.exclude(first_token_at=None)
        return queryset


class BlockFilter(admin.SimpleListFilter):
    """Filter by whether an app is blocked."""

    title = "block"
    parameter_name = "block"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("blocked", "Blocked"), ("open", "Not blocked")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Application]) -> QuerySet[Application]:
        match self.value():
            case "blocked":
                return queryset.filter(blocked_by("client_id"))
            case "open":
                return queryset.filter(~blocked_by("client_id"))
        return queryset


class RefusedFilter(admin.SimpleListFilter):
    """Filter by whether a call of an app was refused recently."""

    title = "refused calls"
    parameter_name = "refused"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("day", "In the last day")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Application]) -> QuerySet[Application]:
        if self.value() != "day":
            return queryset
        refused = Grant.objects.filter(application=OuterRef("pk"), refused_at__gte=a_day_ago())
        return queryset.filter(Exists(refused))

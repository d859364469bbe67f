"""Filters of members and keys by state, for the admin."""

from collections.abc import Callable
from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from accounts.credentials import api_keys
from accounts.members import membership


class _StateFilter(admin.SimpleListFilter):
    """Filter rows by a state, which is a condition."""

    states: ClassVar[dict[str, tuple[str, Callable[[], Q]]]]

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(state, label) for state, (label, _) in self.states.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return the rows in the chosen state."""
        chosen = self.value()
        return queryset.filter(self.states[chosen][1]()) if chosen in self.states else queryset


class MembershipFilter(_StateFilter):
    """Filter members by membership."""

    title = "membership"
    parameter_name = "membership"
    states: ClassVar[dict[str, tuple[str, Callable[[], Q]]]] = {
        "active": ("active", membership.active),
        "ending": (f"ending within {membership.SOON.days} days", membership.ending_soon),
        "lapsed": ("lapsed", membership.lapsed),
    }


class KeyStateFilter(_StateFilter):
    """Filter keys by state."""

    title = "state"
    parameter_name = "state"
    states: ClassVar[dict[str, tuple[str, Callable[[], Q]]]] = {
        "active": ("active", api_keys.active),
        "expired": ("expired", api_keys.expired),
        "revoked": ("revoked", api_keys.revoked),
    }

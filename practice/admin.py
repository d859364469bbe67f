"""Attempts in the admin: to be looked at."""

from typing import TYPE_CHECKING

from django.contrib import admin
from django.http import HttpRequest

from practice.models import Attempt

if TYPE_CHECKING:
    AttemptAdminBase = admin.ModelAdmin[Attempt]
else:
    AttemptAdminBase = admin.ModelAdmin


@admin.register(Attempt)
class AttemptAdmin(AttemptAdminBase):
    """What was practised when; made by practising alone."""

    list_display = ("member", "day", "attempted_at", "source", "topic", "correct")
    list_filter = ("source", "correct")
    list_select_related = ("member",)
    search_fields = ("member__email__startswith",)
    search_help_text = "The beginning of an e-mail address."
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Attempt | None = None) -> bool:
        """Nobody."""
        return False

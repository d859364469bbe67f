"""Attempts in the admin, read-only."""

from django.contrib import admin

from accounts.operators.base import ReadOnlyAdmin
from practice.models import Attempt


@admin.register(Attempt)
class AttemptAdmin(ReadOnlyAdmin):
    """Practice attempts by time."""

    text_path = "topic"
    list_display = ("topic", "member", "day", "attempted_at", "source", "correct")
    list_filter = ("source", "correct")
    list_select_related = ("member",)
    ordering = ("member_id", "day", "correct", "id")

"""Milestones for the operators, to look up."""

from django.contrib import admin

from planning.models import Milestone
from studyservice.admin.base import ReadOnlyAdmin


@admin.register(Milestone)
class MilestoneAdmin(ReadOnlyAdmin):
    """Study-plan steps."""

    text_path = "title"
    list_display = ("title", "item", "position", "due_on", "done", "member")
    list_select_related = ("item", "member")
    ordering = ("member_id", "item_id", "position", "id")

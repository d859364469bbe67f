"""Grade categories and scores in the admin, read-only."""

from django.contrib import admin

from accounts.operators.base import ReadOnlyAdmin
from grades.models import GradeCategory, GradeScore


@admin.register(GradeCategory)
class GradeCategoryAdmin(ReadOnlyAdmin):
    """Weighted categories."""

    list_display = ("name", "weight", "course", "position", "member")
    list_select_related = ("course", "member")
    ordering = ("member_id", "course_id", "position", "id")
    unread = ("course__syllabus_text",)


@admin.register(GradeScore)
class GradeScoreAdmin(ReadOnlyAdmin):
    """Scores."""

    text_path = "label"
    list_display = ("label", "score", "points", "out_of", "category", "member", "created_at")
    list_select_related = ("category", "member")
    ordering = ("member_id", "category_id", "created_at", "id")

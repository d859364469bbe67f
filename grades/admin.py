"""Grade categories and scores in the admin, read-only."""

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from grades.models import GradeCategory, GradeScore
from studyservice.admin.base import ReadOnlyAdmin


@admin.register(GradeCategory)
class GradeCategoryAdmin(ReadOnlyAdmin):
    """Weighted categories."""

    list_display = ("name", "weight", "course", "position", "member")
    list_select_related = ("course", "member")
    ordering = ("member_id", "course_id", "position", "id")

    def get_queryset(self, request: HttpRequest) -> QuerySet[GradeCategory]:
        """Without the syllabus texts of their courses."""
        found: QuerySet[GradeCategory] = super().get_queryset(request).defer("course__syllabus_text")
        return found


@admin.register(GradeScore)
class GradeScoreAdmin(ReadOnlyAdmin):
    """Scores."""

    text_path = "label"
    list_display = ("label", "score", "category", "member", "created_at")
    list_select_related = ("category", "member")
    ordering = ("member_id", "category_id", "created_at", "id")

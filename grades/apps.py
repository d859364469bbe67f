"""The grades app."""

from typing import ClassVar

from django.apps import AppConfig


class GradesConfig(AppConfig):
    """Categories, scores and the breakdown."""

    name = "grades"
    headings: ClassVar[dict[str, str]] = {"Grades": "Weighted categories, scores, and the current grade."}

    def ready(self) -> None:
        """Register the hooks of lower apps."""
        from courses.courses import COURSE_CATEGORIES
        from grades.categories import add_categories

        COURSE_CATEGORIES.register(add_categories)

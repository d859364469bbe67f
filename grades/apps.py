"""The grades app."""

from typing import ClassVar

from django.apps import AppConfig


class GradesConfig(AppConfig):
    """Categories, scores and the breakdown."""

    name = "grades"
    headings: ClassVar[dict[str, str]] = {"Grades": "Weighted categories, scores, and the current grade."}

    def ready(self) -> None:
        """Register the hooks of lower apps."""
        from accounts.archive.tables import EXTRAS
        from courses.courses import COURSE_CATEGORIES
        from grades.archive import write_grades
        from grades.new_courses import add_categories

        COURSE_CATEGORIES.register(add_categories)
        EXTRAS.register("grades.csv", write_grades)

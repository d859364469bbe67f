"""The courses app."""

from typing import ClassVar

from django.apps import AppConfig


class CoursesConfig(AppConfig):
    """Courses, syllabi and dated items."""

    name = "courses"
    headings: ClassVar[dict[str, str]] = {
        "Courses": "Courses and their syllabus text.",
        "Syllabi": "Files of syllabi, and the course, items and weights that they propose.",
        "Items": "Exams, quizzes, assignments, labs, papers, projects: what is due when.",
    }

    def ready(self) -> None:
        """Register the check of what other apps do for this one."""
        from courses import checks  # noqa: F401, PLC0415  # registers itself

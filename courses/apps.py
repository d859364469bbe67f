"""The courses app."""

from django.apps import AppConfig


class CoursesConfig(AppConfig):
    """Courses, syllabi and dated items."""

    name = "courses"

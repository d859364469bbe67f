"""The grades app."""

from typing import ClassVar

from django.apps import AppConfig


class GradesConfig(AppConfig):
    """Categories, scores and the breakdown."""

    name = "grades"
    headings: ClassVar[dict[str, str]] = {"Grades": "Weighted categories, scores, and the current grade."}

"""The grades app."""

from django.apps import AppConfig


class GradesConfig(AppConfig):
    """Categories, scores and the breakdown."""

    name = "grades"

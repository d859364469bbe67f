"""The planning app."""

from django.apps import AppConfig


class PlanningConfig(AppConfig):
    """Milestones and the agenda."""

    name = "planning"

"""The planning app."""

from typing import ClassVar

from django.apps import AppConfig


class PlanningConfig(AppConfig):
    """Milestones and the agenda."""

    name = "planning"
    headings: ClassVar[dict[str, str]] = {
        "Planning": "Milestones that lead up to an item, and the agenda of the days ahead.",
    }

"""The planning app."""

from typing import ClassVar

from django.apps import AppConfig


class PlanningConfig(AppConfig):
    """Milestones and the agenda."""

    name = "planning"
    headings: ClassVar[dict[str, str]] = {
        "Planning": "Milestones that lead up to an item, and the agenda of the days ahead.",
    }

    def ready(self) -> None:
        """Register the hooks of lower apps."""
        from accounts.operators.site import ALSO_WAITING
        from courses.doubts import ITEM_DOUBTS
        from courses.item_rows import ALSO_SEARCHED
        from planning.admin import failing_calendars
        from planning.course_plan import IN_MILESTONES
        from planning.doubts import late_milestones
        from planning.school_calendars.addresses import SCHOOL_CALENDARS
        from planning.school_calendars.schedule import overdue
        from studyservice.secrets.sealing import SEALED
        from studyservice.server.signals import OVERDUE_CALENDARS

        ALSO_SEARCHED.register(IN_MILESTONES)
        ITEM_DOUBTS.register(late_milestones)
        SEALED.register("school_calendars", SCHOOL_CALENDARS)
        OVERDUE_CALENDARS.register(overdue)
        ALSO_WAITING.register(failing_calendars)

"""The app of the shared packages."""

from importlib import import_module

from django.apps import AppConfig


class StudyServiceConfig(AppConfig):
    """Commands and checks that belong to no other app."""

    name = "studyservice"
    default = True

    def ready(self) -> None:
        """Load the checks, which register themselves."""
        import_module("studyservice.server.checks")

"""The app of the shared packages."""

from importlib import import_module

from django.apps import AppConfig
from django.core.checks import register
from django.utils.module_loading import autodiscover_modules


class StudyServiceConfig(AppConfig):
    """The log of changes, and commands and checks that belong to no other app."""

    name = "studyservice"
    verbose_name = "Log of changes"
    default = True

    def ready(self) -> None:
        """Load the checks, which register themselves, and the declarations of every app's models."""
        import_module("studyservice.server.checks")
        from studyservice.registry.data import check_member_data

        autodiscover_modules("member_data")
        register(check_member_data)

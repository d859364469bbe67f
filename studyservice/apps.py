"""The ground under every operation."""

from django.apps import AppConfig


class StudyServiceConfig(AppConfig):
    """Commands and checks that belong to no single app."""

    name = "studyservice"

"""The app of the shared packages."""

from django.apps import AppConfig
from django.core.checks import Tags, register

from studyservice.hooks import check_hooks
from studyservice.server.checks import (
    ENVIRONMENT,
    check_connections,
    check_connections_in_deployment,
    check_static_files,
    check_trusted_proxies,
    check_variables,
)


class StudyServiceConfig(AppConfig):
    """Commands and checks that belong to no other app."""

    name = "studyservice"
    default = True

    def ready(self) -> None:
        """Register the checks."""
        register(check_trusted_proxies, ENVIRONMENT)
        register(check_variables, ENVIRONMENT)
        register(check_static_files, deploy=True)
        register(check_connections, Tags.database)
        register(check_connections_in_deployment, deploy=True)
        register(check_hooks)

"""The app of the shared packages, and the operators' admin."""

from django.apps import AppConfig
from django.contrib.admin import apps as admin_apps
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
        """Register the checks, and an answer for the operators' front page."""
        from studyservice.admin.front_page import ANSWERS
        from studyservice.server.front_page import HEALTH

        ANSWERS.register("health", HEALTH)
        register(check_trusted_proxies, ENVIRONMENT)
        register(check_variables, ENVIRONMENT)
        register(check_static_files, deploy=True)
        register(check_connections, Tags.database)
        register(check_connections_in_deployment, deploy=True)
        register(check_hooks)


class OperatorsConfig(admin_apps.AdminConfig):
    """Django's admin with our site."""

    default = False
    default_site = "studyservice.admin.site.OperatorSite"

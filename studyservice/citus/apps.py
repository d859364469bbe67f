"""The app that spreads members over servers."""

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import register

from studyservice.citus.layout import check_places
from studyservice.citus.servers import enter_server_of
from studyservice.database.signals import member_known


class CitusConfig(AppConfig):
    """The command `distribute`, and the check that each table has a place; the rest works if members are spread."""

    name = "studyservice.citus"

    def ready(self) -> None:
        """Register the check, and count requests at each server if members are spread."""
        register(check_places)
        if settings.DATABASE_DISTRIBUTED:
            member_known.connect(enter_server_of)

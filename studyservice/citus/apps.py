"""The app that distributes members over servers."""

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import register

from studyservice.citus.layout import check_places
from studyservice.citus.servers import enter_server_of
from studyservice.database.signals import member_known


class CitusConfig(AppConfig):
    """The command `distribute` and the check of table placement. The rest is active only if members are distributed."""

    name = "studyservice.citus"

    def ready(self) -> None:
        """Register the check and, if members are distributed, the bulkhead."""
        register(check_places)
        if settings.DATABASE_DISTRIBUTED:
            member_known.connect(enter_server_of)

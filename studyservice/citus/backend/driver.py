"""The PostgreSQL driver, with connections that report each exchange to the bulkhead."""

from typing import TypeVar

from psycopg.abc import PQGen

from studyservice.citus.servers import bulkhead
from studyservice.database.postgresql import driver
from studyservice.database.postgresql.driver import *  # noqa: F403  # what a backend of Django asks of its driver

RV = TypeVar("RV")


class CoordinatorConnection(driver.Connection):
    """A connection to the coordinator, behind which are the servers of members."""

    def wait(self, gen: PQGen[RV], interval: float = driver.INTERVAL_SECONDS, timeout: float | None = None) -> RV:
        """Exchange as the base class does, while the bulkhead counts the seconds."""
        with bulkhead().exchange():
            return super().wait(gen, interval, timeout)

    def note_silence(self) -> None:
        """Do nothing: the unresponsive server may be one behind the coordinator."""


connect = CoordinatorConnection.connect

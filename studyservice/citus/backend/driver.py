"""The PostgreSQL driver, with connections that report each round trip to the bulkhead."""

from typing import TypeVar

from psycopg.abc import PQGen

from studyservice.citus.servers import bulkhead
from studyservice.database.postgresql import driver
from studyservice.database.postgresql.driver import *  # noqa: F403  # Django backends expect the driver's names here

RV = TypeVar("RV")


class CoordinatorConnection(driver.Connection):
    """A connection to the coordinator, which forwards statements to the members' servers."""

    def wait(self, gen: PQGen[RV], interval: float = driver.INTERVAL_SECONDS, timeout: float | None = None) -> RV:
        """Wait like the base class, while the bulkhead measures the time."""
        with bulkhead().exchange():
            return super().wait(gen, interval, timeout)

    def note_silence(self) -> None:
        """Do nothing: the unresponsive server may be a different one than the coordinator."""


connect = CoordinatorConnection.connect

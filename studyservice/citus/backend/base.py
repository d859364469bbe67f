"""The database backend for a Citus coordinator."""

from types import SimpleNamespace
from typing import Any

from studyservice.citus.bulkhead import bulkhead
from studyservice.database.postgresql import base, driver


class CoordinatorConnection(driver.Connection):
    """A connection to the coordinator, which forwards statements to the members' servers."""

    def wait(self, *args: Any, **kwargs: Any) -> Any:
        """Wait like the base class, while the bulkhead measures the time."""
        with bulkhead().exchange():
            return super().wait(*args, **kwargs)

    def note_silence(self) -> None:
        """Do nothing: the unresponsive server may be a different one than the coordinator."""


class DatabaseFeatures(base.DatabaseFeatures):
    """Capabilities that Citus lacks."""

    inserts_from_query = False
    """Citus would send an INSERT from a SELECT to every server, and supports no subquery in one."""

    sets_null_by_column = False
    """Citus cannot set a single column to NULL, so the service empties such references itself."""


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection to the coordinator."""

    Database: Any = SimpleNamespace(**vars(driver) | {"connect": CoordinatorConnection.connect})
    features_class = DatabaseFeatures

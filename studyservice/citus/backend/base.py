"""The database backend for a Citus coordinator."""

from studyservice.citus.backend import driver
from studyservice.database.postgresql import base


class DatabaseFeatures(base.DatabaseFeatures):
    """Capabilities that Citus lacks (`studyservice.database.capabilities`)."""

    inserts_from_query = False
    """Citus would send an INSERT from a SELECT to every server, and supports no subquery in one."""

    sets_null_by_column = False
    """Citus cannot set a single column to NULL, so the service empties such references itself."""


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection to the coordinator."""

    Database = driver
    features_class = DatabaseFeatures

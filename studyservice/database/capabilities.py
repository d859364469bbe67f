"""Capabilities that not every database backend has. A backend without one says so in its `DatabaseFeatures`."""

from django.db.backends.base.base import BaseDatabaseWrapper


def inserts_from_query(database: BaseDatabaseWrapper) -> bool:
    """Return whether INSERT can take rows from a SELECT, and values from subqueries."""
    return bool(getattr(database.features, "inserts_from_query", True))


def sets_null_by_column(database: BaseDatabaseWrapper) -> bool:
    """Return whether ON DELETE SET NULL of a foreign key with two columns can name one of them."""
    return bool(getattr(database.features, "sets_null_by_column", True))

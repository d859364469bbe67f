"""The database backend for a coordinator of Citus: the one for PostgreSQL, with a few differences."""

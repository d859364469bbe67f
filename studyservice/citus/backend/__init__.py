"""The database backend for a Citus coordinator: the PostgreSQL backend with a few differences."""

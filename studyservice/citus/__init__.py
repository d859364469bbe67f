"""Distribute members over Citus, an extension of PostgreSQL. Optional; nothing outside imports this package.

The settings choose the database backend and the middleware of this package if DATABASE_DISTRIBUTED is set.
"""

"""Distribute members over Citus, an extension of PostgreSQL. Optional; no other package imports this one.

If DATABASE_DISTRIBUTED is set, the settings select this package's database backend and middleware.
"""

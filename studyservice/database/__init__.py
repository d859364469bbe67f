"""Statements compiled once, the PostgreSQL backend, and constraints enforced by the database."""

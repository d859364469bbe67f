"""Statements compiled once, the PostgreSQL backend, and the rules that the database itself keeps."""

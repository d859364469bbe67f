"""Requests of the server itself to addresses that others name."""

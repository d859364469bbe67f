"""Credentials that see a part of their member's data."""

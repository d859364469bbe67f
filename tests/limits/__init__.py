"""Credentials that can see only a part of their member's data."""

"""Signals that the database layer offers to optional packages."""

from django.dispatch import Signal

member_known = Signal()
"""Sent with `member_id` (a UUID) before the first statement of a request that names the member.

A receiver that raises an `OperationalError` ends the request.
"""

"""Pages."""

from rest_framework.pagination import CursorPagination


class SoonestFirst(CursorPagination):
    """Keyset pages; PostgreSQL sorts what is undated last."""

    ordering = ("due_on", "created_at", "id")

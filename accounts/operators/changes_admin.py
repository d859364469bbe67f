"""The log of changes for operators, read-only. Opening a row is logged."""

from contextlib import suppress
from typing import cast
from uuid import UUID

from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.html import format_html_join

from accounts.changes.contents import unpacked
from accounts.changes.models import Change
from accounts.changes.words import fields_in_words
from accounts.changes.writing import writing
from accounts.members.data import is_study_data
from studyservice.admin.base import ReadOnlyAdmin
from studyservice.operations.errors import NotFound


def note_reading(read: Model) -> None:
    """Record for the member that an operator opened an object of their study data, or a row of their log.

    Lists are not recorded, because they show little more than names.
    """
    noted = isinstance(read, Change) or is_study_data(type(read))
    if not noted:
        return
    member_id = cast(UUID, vars(read)["member_id"])
    # a member who is being deleted is not notified
    with suppress(NotFound), writing(member_id, "operator_read") as write:
        if isinstance(read, Change):
            write.looked_at(Change, read.id, str(read))
        else:
            write.looked_at(type(read), read.pk, str(read))


@admin.register(Change)
class ChangeAdmin(ReadOnlyAdmin):
    """Changes of members' study data, with their actors."""

    text_path = "object_name"
    list_display = ("created_at", "member", "actor", "operation", "object_type", "object_name")
    list_filter = ("by_kind",)
    list_select_related = ("member",)
    ordering = ("-member_id", "-created_at", "-id")
    fields = readonly_fields = (
        "member",
        "created_at",
        "actor",
        "operation",
        "object_type",
        "object_name",
        "object_id",
        "what",
        "undone_at",
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Change]:
        """Return the rows without snapshots, which may be long."""
        found: QuerySet[Change] = super().get_queryset(request).defer("taken")
        return found

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Allow the filter by member, for the link from the member's page."""
        return lookup == "member__id__exact" or super().lookup_allowed(lookup, value, request)

    @admin.display(description="by")
    def actor(self, change: Change) -> str:
        return f"{change.get_by_kind_display() or ''} {change.by_name}".strip()

    @admin.display(description="what")
    def what(self, change: Change) -> str:
        """The change in words."""
        lines = fields_in_words(*unpacked(change.contents).told(change.object_type))
        return format_html_join("", "<div>{}</div>", ((line,) for line in lines)) or "nothing was changed"

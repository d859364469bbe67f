"""The log of changes for the operators: read, never changed; and what they look at, which it says."""

import json
from contextlib import suppress
from typing import cast
from uuid import UUID

from django.conf import settings
from django.contrib import admin
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.utils.html import format_html_join

from accounts.change_contents import Json, unpacked
from accounts.changes import Change
from accounts.writing import writing
from studyservice.admin.base import ReadOnlyAdmin
from studyservice.operations.errors import NotFound


def note_reading(read: Model) -> None:
    """Tell the member that an operator opened an object of their study data, or a row of their log.

    Lists are not noted: they name objects, and show little of them.
    """
    noted = isinstance(read, Change) or read._meta.app_label in settings.STUDY_DATA_APPS
    if not noted:
        return
    member_id = cast(UUID, vars(read)["member_id"])
    with suppress(NotFound), writing(member_id, "operator_read") as write:  # a member who is going is told nothing
        if isinstance(read, Change):
            write.looked_at(Change, read.id, str(read))
        else:
            write.looked_at(type(read), read.pk, str(read))


@admin.register(Change)
class ChangeAdmin(ReadOnlyAdmin):
    """What was changed in members' study data, by whom."""

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
        """Without what deletions took, which may be long."""
        found: QuerySet[Change] = super().get_queryset(request).defer("taken")
        return found

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Also the log of one member, for the link from there."""
        return lookup == "member__id__exact" or super().lookup_allowed(lookup, value, request)

    @admin.display(description="by")
    def actor(self, change: Change) -> str:
        return f"{change.get_by_kind_display()} {change.by_name}".rstrip()

    @admin.display(description="what")
    def what(self, change: Change) -> str:
        """In words."""
        lines = told_in_words(change)
        return format_html_join("", "<div>{}</div>", ((line,) for line in lines)) or "nothing was changed"


def told_in_words(change: Change) -> list[str]:
    """A line for each field: `due_on: from 2026-12-03 to 2026-12-05`."""
    before, after = unpacked(change.contents).told()
    lines = []
    for field in {**(before or {}), **(after or {})}:
        if before is None:
            lines.append(f"{field}: {_word(after, field)}")
        elif after is None:
            lines.append(f"{field}: was {_word(before, field)}")
        else:
            lines.append(f"{field}: from {_word(before, field)} to {_word(after, field)}")
    return lines


def _word(fields: dict[str, Json] | None, field: str) -> str:
    value = (fields or {}).get(field)
    if value is None:
        return "nothing"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

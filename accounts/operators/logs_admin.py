"""The logs for operators, read-only: changes of study data, events of accounts, and operators' own actions.

Actions that concern no member's account, like blocking an app, are only in the operators' own log.
"""

from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.db.models import Q
from django.utils.html import format_html_join

from accounts.events import AccountEvent
from accounts.operators.base import ReadOnlyAdmin
from studyservice.changes.contents import as_words, unpacked
from studyservice.changes.words import fields_in_words
from studyservice.models import Change
from studyservice.operations.fields import parse_uuid


class _LogAdmin(ReadOnlyAdmin):
    """A log of what happened to members' data and accounts, with the actors."""

    text_path = "object_name"
    linked_filters = ("member__id__exact",)
    list_select_related = ("member",)

    @admin.display(description="by")
    def actor(self, entry: Change | AccountEvent) -> str:
        """Return the kind of the actor, and the name of an operator, a key or an app."""
        return f"{entry.get_by_kind_display() or ''} {entry.by_name}".strip()


@admin.register(Change)
class ChangeAdmin(_LogAdmin):
    """Changes of members' study data, with their actors."""

    list_display = ("created_at", "member", "actor", "operation", "object_type", "object_name")
    list_filter = ("by_kind",)
    unread = ("taken",)
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

    @admin.display(description="what")
    def what(self, change: Change) -> str:
        """The change in words."""
        lines = fields_in_words(*unpacked(change.contents).told(change.object_type))
        return format_html_join("", "<div>{}</div>", ((line,) for line in lines)) or "nothing was changed"


@admin.register(AccountEvent)
class AccountEventAdmin(_LogAdmin):
    """Events of members' accounts: actor, network, key or app, request."""

    list_display = ("created_at", "member", "kind", "actor", "about", "network", "detail", "request_id")
    list_display_links = None
    list_filter = ("kind",)
    ordering = ("-id",)
    search_help_text = (
        "The beginning of an e-mail address up to its @ or further, an id (of an event, a member, a key or an app), a "
        "request id (req_…), a network such as 203.0.113.0/24, or a part of the name of a key or an app."
    )

    def matching(self, term: str) -> Q:
        """Search for a request id by its index, for an exact network, or for an id in the row."""
        if term.startswith("req_"):
            return Q(request_id=term)
        if "/" in term:
            return Q(network=term.lower())
        one = parse_uuid(term)
        if one is None:
            return super().matching(term)
        return Q(pk=one) | Q(member_id=one) | Q(object_id=one) | Q(by_id=one)

    @admin.display(description="about")
    def about(self, event: AccountEvent) -> str:
        return f"{as_words(event.object_type)} {event.object_name}".strip()


@admin.register(LogEntry)
class OperatorLogAdmin(ReadOnlyAdmin):
    """The operators' own log of their actions in the admin."""

    email_path = "user__email"
    text_path = "object_repr"
    list_display = ("action_time", "user", "content_type", "object_repr", "get_change_message")
    list_display_links = None
    list_select_related = ("user", "content_type")
    ordering = ("-id",)
    search_help_text = "The beginning of an operator's e-mail address, or a part of the name of what was changed."

    def matching(self, term: str) -> Q:
        """Search for the id of a changed object."""
        return super().matching(term) if parse_uuid(term) is None else Q(object_id=term.lower())

"""The log of account events for operators, read-only. Their actions, and the rows they open, are logged.

Actions that concern no member's account, like blocking an app, are only in the operators' own log.
"""

from contextlib import suppress
from typing import Any, cast
from uuid import UUID

from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.db.models import Model, Q
from django.http import HttpRequest

from accounts.changes.contents import as_words
from accounts.changes.models import Change
from accounts.credentials.models import ApiKey
from accounts.events.log import Subject, holding, record_event
from accounts.events.models import AccountEvent, EventKind
from accounts.members.data import is_study_data
from accounts.members.models import Member
from studyservice.admin.base import ReadOnlyAdmin
from studyservice.operations.errors import NotFound
from studyservice.operations.fields import parse_uuid

_NOT_RECORDED = (LogEntry, AccountEvent, Change)
"""Log models. The log of changes records its own reads, and other logs have no pages to open."""


def note_reading(read: Model) -> None:
    """Record for the member that an operator opened the account, or a part of it other than study data.

    Lists are not recorded, because they show little more than names.
    """
    _note(EventKind.OPERATOR_READ, read, "")


def note_action(done_to: Model, what: str) -> None:
    """Record an operator's action for the member. Revoking a key has its own event."""
    if not isinstance(done_to, ApiKey):
        _note(EventKind.OPERATOR_ACTION, done_to, what)


def _note(kind: EventKind, row: Model, detail: str) -> None:
    """Record an event, except about study data, which the log of changes covers."""
    if is_study_data(type(row)) or isinstance(row, _NOT_RECORDED):
        return
    subject = None if isinstance(row, Member) else _subject_of(row)
    member_id = row.pk if isinstance(row, Member) else vars(row).get("member_id")
    if member_id is None:
        return
    with suppress(NotFound), holding(cast(UUID, member_id)):  # a member who is being deleted gets no notice
        record_event(member_id, kind, subject, detail=detail)


def _subject_of(row: Model) -> Subject:
    return Subject.of(row, row.name if isinstance(row, ApiKey) else "")


class _EventFilter(admin.SimpleListFilter):
    """Filter by kind. It searches only the newest of all events."""

    title = "kind"
    parameter_name = "kind"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(kind.value, str(kind.label)) for kind in EventKind]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        chosen = self.value()
        return queryset.filter(kind=chosen) if chosen in EventKind.values else queryset


@admin.register(AccountEvent)
class AccountEventAdmin(ReadOnlyAdmin):
    """Events of members' accounts: actor, network, key or app, request."""

    text_path = "object_name"
    list_display = ("created_at", "member", "kind", "actor", "about", "network", "detail", "request_id")
    list_display_links = None
    list_filter = (_EventFilter,)
    list_select_related = ("member",)
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

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Allow the filter by member, for the link from the member's page."""
        return lookup == "member__id__exact" or super().lookup_allowed(lookup, value, request)

    @admin.display(description="by")
    def actor(self, event: AccountEvent) -> str:
        """Return the name of the operator, if the actor was one."""
        return f"{event.get_by_kind_display()} {event.by_name}".rstrip()

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

"""Base classes of the operators' admin. The member sees in their logs what an operator opened or changed."""

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, ClassVar, NamedTuple, TypeVar

from csp.constants import SELF
from csp.decorators import csp_update
from django.contrib import admin, messages
from django.contrib.admin.models import LogEntry
from django.db.models import Model, Q, QuerySet
from django.http import HttpRequest, HttpResponseBase, HttpResponseRedirect

from accounts.credentials.models import ApiKey
from accounts.events import AccountEvent, EventKind, Subject, holding, record_event
from accounts.members.models import Member
from accounts.operators.lists import MOST_ROWS, BoundedPaginator, SelectedRowsForm, counted, leading_columns
from studyservice.changes.writing import writing
from studyservice.models import Change
from studyservice.operations.errors import ApiError, NotFound
from studyservice.operations.fields import parse_uuid
from studyservice.registry.data import is_study_data
from studyservice.rows.access import Access

_DOMAIN = re.compile(r"@?[^\s@]+\.[^\s@]+")
"""A search for all addresses of a domain, like `example.org` or `@example.org`."""

Row = TypeVar("Row", bound=Model)


class PageAction(NamedTuple):
    """An action of a list that the page of one object offers too.

    Attributes:
        name: of the method.
        label: of the button.
        effect: shown beside it, before the action is confirmed.
    """

    name: str
    label: str
    effect: str


def note_reading(row: Model) -> None:
    """Record for the member that an operator opened a row of theirs.

    Study data and the log of changes are in that log, all else in the log of account events. Lists are not recorded,
    because they show little more than names.
    """
    if isinstance(row, Change) or is_study_data(type(row)):
        # a member who is being deleted is not notified
        with suppress(NotFound), writing(vars(row)["member_id"], "operator_read") as write:
            write.looked_at(type(row), row.pk, str(row))
    else:
        _note_event(EventKind.OPERATOR_READ, row)


def _note_event(kind: EventKind, row: Model, detail: str = "") -> None:
    """Record an event of the member's account, if `row` is part of one. Other logs have no pages to open."""
    member_id = row.pk if isinstance(row, Member) else vars(row).get("member_id")
    if member_id is None or isinstance(row, LogEntry | AccountEvent):
        return
    subject = None if isinstance(row, Member) else Subject.of(row, row.name if isinstance(row, ApiKey) else "")
    with suppress(NotFound), holding(member_id):  # a member who is being deleted is not notified
        record_event(member_id, kind, subject, detail=detail)


class ServiceAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # not generic at runtime
    """A list with a bounded count, sorted by an index, searched by e-mail address, id or text.

    Only the first columns of indexes can be sorted. Sorting by any other would sort a million rows on one click.

    Attributes:
        email_path: path to the member's e-mail address.
        text_path: the field searched for other words.
        unread: long or secret columns, which are not read for a list or a page.
        linked_filters: filters in the addresses that other pages link.
    """

    email_path: ClassVar[str] = "member__email"
    text_path: ClassVar[str] = "name"
    unread: ClassVar[tuple[str, ...]] = ()
    linked_filters: ClassVar[tuple[str, ...]] = ()

    paginator = BoundedPaginator
    action_form = SelectedRowsForm
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    list_per_page = 50
    list_max_show_all = 50
    view_on_site = False
    search_fields = ("pk",)
    search_help_text = (
        "The beginning of an e-mail address up to its @ or further, its domain, an id, or a part of the name. "
        f"At most {MOST_ROWS:,} rows are counted and listed."
    )

    class Media:
        css: ClassVar[dict[str, list[str]]] = {"all": ["studyservice/admin.css"]}

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """Return the rows without the columns that are not read."""
        return super().get_queryset(request).defer(*self.unread)

    def get_sortable_by(self, request: HttpRequest) -> Any:
        """Return the first columns of indexes."""
        return [name for name in self.get_list_display(request) if name in leading_columns(self.model)]

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Leave out of the page for a new object the fields that only existing ones have."""
        fields = super().get_fields(request, obj)
        fixed = () if obj is not None else self.get_readonly_fields(request, obj)
        return [name for name in fields if name not in fixed]

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Return the matching rows. An address or an id is found through its index."""
        term = search_term.replace("\x00", "").strip()
        return queryset.filter(self.matching(term)) if term else queryset, False

    def matching(self, term: str) -> Q:
        """Return the query for the search term `term`."""
        identifier = parse_uuid(term)
        if identifier is not None:
            return Q(pk=identifier)
        if "@" in term[1:]:
            return Q(**{f"{self.email_path}__startswith": term.lower()})
        text = Q(**{f"{self.text_path}__icontains": term})
        if _DOMAIN.fullmatch(term):
            return text | Q(**{f"{self.email_path}__endswith": term.lower()})
        return text

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        """Refuse filters in the URL, which could probe for a secret."""
        if "password" in lookup or "secret" in lookup:
            return False
        return lookup in self.linked_filters or bool(super().lookup_allowed(lookup, value, request))

    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Add or change an object. Violations of the service's rules are shown like form errors.

        The page's fields look up members and courses while the operator types, so its content security policy is wider.
        """
        view = csp_update({"connect-src": [SELF]})(super().changeform_view)
        return self._told(request, view, *args, **kwargs)

    def page_actions(self, obj: Any) -> tuple[PageAction, ...]:
        """Return the actions that the page of `obj` offers to operators with their permission."""
        return ()

    def render_change_form(self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any) -> Any:
        """Render the page of one object with its actions, and record that it was opened."""
        read = kwargs.get("obj")
        if read is not None:
            permitted = self.get_actions(request)
            context["page_actions"] = [action for action in self.page_actions(read) if action.name in permitted]
            if request.method == "GET":
                note_reading(read)
        return super().render_change_form(request, context, *args, **kwargs)

    def log_addition(self, request: HttpRequest, obj: Model, message: Any) -> Any:
        """Write to the operators' log and to the member's."""
        return self._noted(obj, super().log_addition(request, obj, message))

    def log_change(self, request: HttpRequest, obj: Model, message: Any) -> Any:
        """Likewise for changes, including those of list actions."""
        return self._noted(obj, super().log_change(request, obj, message))

    def _noted(self, obj: Model, entry: LogEntry) -> LogEntry:
        # changes of study data are logged with the change, and revoking a key has its own event
        if not (is_study_data(type(obj)) or isinstance(obj, Change | ApiKey)):
            _note_event(EventKind.OPERATOR_ACTION, obj, entry.get_change_message())
        return entry

    def act(
        self,
        request: HttpRequest,
        rows: Iterable[Row],
        act: Callable[[Row], object],
        *,
        noun: str,
        verb: str,
        logged: str = "",
    ) -> None:
        """Act on each row, log it, and tell the operator the number.

        Args:
            act: returns False for a row that needs nothing.
            noun: for the number.
            verb: like `Revoked`.
            logged: what the logs say, if not the verb.
        """
        done = [row for row in rows if act(row) is not False]
        for row in done:
            self.log_change(request, row, f"{logged or verb}.")
        self.message_user(request, f"{verb}: {counted(len(done), noun)}.")

    def delete_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        return self._told(request, super().delete_view, *args, **kwargs)

    def _told(
        self, request: HttpRequest, view: Callable[..., HttpResponseBase], *args: Any, **kwargs: Any
    ) -> HttpResponseBase:
        try:
            return view(request, *args, **kwargs)
        except ApiError as error:
            self.message_user(request, error.message, messages.ERROR)
            return HttpResponseRedirect(request.get_full_path())

    def get_deleted_objects(
        self, objs: Iterable[Model], request: HttpRequest
    ) -> tuple[list[str], dict[str, int], set[str], list[str]]:
        """Return only the objects: their dependents may be many thousands of rows."""
        objects = list(objs)
        denied = any(not self.has_delete_permission(request, one) for one in objects)
        names = [f"{one}, with everything that belongs to it" for one in objects]
        count = {str(self.opts.verbose_name_plural): len(objects)}
        return names, count, {str(self.opts.verbose_name)} if denied else set(), []

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        """Delete one by one, with `delete_model`."""
        for one in queryset:
            self.delete_model(request, one)


class StudyDataAdmin(ServiceAdmin):
    """Study data, changed and deleted like by the operations of the API, with the same rules.

    Attributes:
        update: takes the access, the id, and the changed columns by name.
        delete: takes the access and the id.
    """

    update: ClassVar[Callable[..., object]]
    delete: ClassVar[Callable[..., object]]

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        """Change only the edited columns, so that concurrent changes stay."""
        names = [obj._meta.get_field(name).attname for name in form.changed_data]
        try:
            self.update(Access(obj.member), obj.pk, **{name: getattr(obj, name) for name in names})
        except NotFound:
            raise NotFound(f"The {self.opts.verbose_name} was deleted meanwhile.") from None

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        self.delete(Access(obj.member), obj.pk)


class ReadOnlyAdmin(ServiceAdmin):
    """Read-only: members change these rows through pages, REST or tools."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_act_permission(self, request: HttpRequest) -> bool:
        """The permission to change a row includes its actions, such as revoking a key."""
        return bool(super().has_change_permission(request))


class ServiceInline(admin.TabularInline):  # type: ignore[type-arg]  # not generic at runtime
    """Inline rows of an object. They are read-only."""

    extra = 0

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Leave out fields that rows of a new object do not have yet."""
        fields = super().get_fields(request, obj)
        fixed = () if obj is not None else self.get_readonly_fields(request, obj)
        return [name for name in fields if name not in fixed]

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

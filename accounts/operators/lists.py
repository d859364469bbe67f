"""Parts of the admin's lists, which cost the same with ten rows or millions."""

from collections.abc import Callable
from typing import Any, ClassVar, cast

from django import forms
from django.contrib import admin
from django.contrib.admin.helpers import ActionForm
from django.core.paginator import Paginator
from django.db.models import IntegerField, Model, Q, QuerySet, Subquery
from django.http import HttpRequest
from django.utils.functional import cached_property

MOST_ROWS = 1000
"""Maximum number of rows that a list counts and pages through. Beyond that, search."""

Conditions = dict[str, tuple[str, Callable[[], Q]]]
"""The label and the condition of each state."""


def counted(number: int, noun: str) -> str:
    """Return `1 key` or `2 keys`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def leading_columns(model: type[Model]) -> set[str]:
    """Return the first fields of unconditional indexes. Foreign keys are left out, since lists sort them by their
    targets.

    Indexes with operator classes are left out, because they serve searches and have a different order.
    """
    meta = model._meta
    alone = {field.name for field in meta.concrete_fields if field.unique or getattr(field, "db_index", False)}
    indexes = [index.fields_orders for index in meta.indexes if index.condition is None and not index.opclasses]
    leading = {fields[0][0] for fields in indexes if fields}
    unique = {one.fields[0] for one in meta.total_unique_constraints}
    references = {field.name for field in meta.concrete_fields if field.is_relation}
    return (alone | leading | unique) - references


class BoundedCount(Subquery):
    """A list column with the number of rows per value of `column`, counted up to `MOST_ROWS`."""

    template = "(SELECT COUNT(*) FROM (%(subquery)s) AS bounded)"
    output_field = IntegerField()

    def __init__(self, rows: QuerySet[Any], column: str) -> None:
        super().__init__(rows.order_by().values(column).distinct()[:MOST_ROWS])


class BoundedPaginator(Paginator):  # type: ignore[type-arg]  # not generic at runtime
    """A paginator that never counts past `MOST_ROWS`."""

    @cached_property
    def count(self) -> int:
        """Return the number of rows, at most `MOST_ROWS`."""
        rows = cast("QuerySet[Model]", self.object_list)  # the admin pages only querysets
        return rows.order_by()[:MOST_ROWS].count()


class StateFilter(admin.SimpleListFilter):
    """Filter rows by a state, which is a condition.

    Attributes:
        states: the label of each, and its condition.
    """

    states: ClassVar[Conditions]

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(state, label) for state, (label, _) in self.states.items()]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        """Return the rows in the chosen state."""
        chosen = self.value()
        return queryset.filter(self.states[chosen][1]()) if chosen in self.states else queryset


class SelectedRowsForm(ActionForm):
    """Limits actions to the selected rows, without “select all 1,000,000”."""

    select_across = forms.BooleanField(label="", required=False, disabled=True, widget=forms.HiddenInput)

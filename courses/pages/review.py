"""The table in which a member checks a proposal, edits it, and selects rows to add.

A syllabus or a calendar file shows its proposed rows here and gets the selected ones back. Each row posts a fingerprint
of its content. If the rows have changed since, the table is shown again with the member's input.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, cast

from django import forms
from django.http import QueryDict

from courses.approval import Approved, ReviewRow, State
from courses.models import Item, ItemKind
from courses.pages.item_fields import date_field, kind_field, require_date, time_field, title_field
from courses.serializers import NewItem
from courses.syllabi.drops import MOST_DROPPED

MAX_ROWS = 1000
"""Maximum number of rows: as many as a course can have items. Six fields each are well below the limit of a form."""

MAX_ADDED = 100
"""Maximum number of rows that a member can add."""

_MARKS = "row"
"""The field with the fingerprints of all rows."""

_ADDED = "added"
"""The field with the keys of the rows that the member added."""


def drop_lowest_field() -> forms.IntegerField:
    """How many of the lowest scores of a grade category do not count."""
    wrong = f"Enter a whole number from 0 to {MOST_DROPPED}."
    return forms.IntegerField(
        label="Lowest scores dropped",
        required=False,
        min_value=0,
        max_value=MOST_DROPPED,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
        error_messages=dict.fromkeys(("invalid", "min_value", "max_value"), wrong),
    )


ADD = "add"
"""The button that adds an empty row."""


class TickedForm(forms.Form):
    """A row that counts only if it is selected. Unselected rows cannot be invalid."""

    use_required_attribute = False

    tick = forms.BooleanField(required=False)

    def announce(self, tick: str, name: str, labels: Mapping[str, str]) -> None:
        """Let a screen reader announce the row with each field: what the tick does, and the other fields' labels."""
        self.fields["tick"].widget.attrs["aria-label"] = f"{tick} “{name}”"
        for field, label in labels.items():
            attrs = self.fields[field].widget.attrs
            attrs["aria-label"] = f"{label} of “{name}”"
            if field in self.errors:
                attrs |= {"aria-invalid": "true", "aria-describedby": self.errors_id}

    @property
    def errors_id(self) -> str:
        """The id of the element with the errors of the row."""
        return f"{self.prefix}-errors"

    def full_clean(self) -> None:
        """Validate, except unselected rows."""
        super().full_clean()
        if self.is_bound and not self.cleaned_data.get("tick"):
            self.errors.clear()


class RowForm(TickedForm):
    """The fields of a proposed item."""

    title = title_field(Item)
    kind = kind_field()
    due_on = date_field()
    due_time = time_field()
    category = forms.ChoiceField(
        label="Category", required=False, error_messages={"invalid_choice": "Choose one of the listed categories."}
    )
    clean = require_date

    def __init__(self, row: ReviewRow, data: QueryDict | None, note: str = "") -> None:
        """Bind the fields to the sent data, if any."""
        super().__init__(data, prefix=row.key, initial={"tick": row.ticked, **row.item, "category": row.category})
        self.row = row
        self.notes = (*row.notes, note) if note else row.notes
        cast("forms.ChoiceField", self.fields["category"]).choices = [("", "No category"), *row.choices]
        if not row.choices:
            del self.fields["category"]
        if self.is_gone:
            self.fields = {"tick": self.fields["tick"]}
        labels = {name: str(field.label) for name, field in self.fields.items() if name != "tick"}
        self.announce("Delete" if self.is_gone else "Add", row.item["title"] or f"added row {row.key[1:]}", labels)

    @property
    def is_gone(self) -> bool:
        """Return whether the row can only be deleted, not edited."""
        return self.row.state is State.GONE

    @property
    def is_added(self) -> bool:
        """Return whether the member added the row."""
        return self.row.state is State.ADDED

    def clean_tick(self) -> bool:
        """Unselect added rows that are empty."""
        is_empty = not any(self.data.get(self.add_prefix(name)) for name in ("title", "due_on"))
        return bool(self.cleaned_data["tick"]) and not (self.is_added and is_empty)

    def entered(self) -> str:
        """The member's input."""
        sent = [str(self.data.get(self.add_prefix(name), "")) for name in ("title", "due_on", "due_time")]
        return f"“{sent[0]}”, {' '.join(sent[1:]).strip() or 'without a date'}"

    def approved(self) -> Approved | None:
        """The row if it is selected; only for a valid form."""
        given: dict[str, Any] = self.cleaned_data
        if not given["tick"]:
            return None
        if self.is_gone:
            return Approved(self.row, self.row.item)
        item = {name: value for name, value in given.items() if name not in {"tick", "category"}}
        return Approved(self.row, cast("NewItem", item), given.get("category", ""))


class Review:
    """The table.

    Args:
        rows: the current proposal.
        data: the sent data; None if the table is shown for the first time.
        can_add: whether the member can add rows.
        choices: the categories that items can have.
    """

    def __init__(
        self,
        rows: Sequence[ReviewRow],
        data: QueryDict | None = None,
        *,
        can_add: bool = False,
        choices: tuple[tuple[str, str], ...] = (),
    ) -> None:
        self.can_add = can_add
        self.choices = choices
        self.left_out = max(0, len(rows) - MAX_ROWS)
        self.rows = rows[:MAX_ROWS]
        self._data = data
        self._sent = set() if data is None else set(data.getlist(_MARKS))

    @cached_property
    def forms(self) -> list[RowForm]:
        """A form for each row, with the member's input if the row is unchanged."""
        before = {mark.partition(":")[0] for mark in self._sent}
        found = []
        for row in self.rows:
            if row.mark in self._sent:
                found.append(RowForm(row, self._data))
            elif row.key in before and row.state is not State.GONE:
                entered = RowForm(row, self._data).entered()
                found.append(RowForm(row, None, f"This changed in the meantime. You had entered {entered}."))
            else:
                found.append(RowForm(row, None))
        return found + self._added

    @cached_property
    def _added(self) -> list[RowForm]:
        """The rows that the member added, plus an empty one on request."""
        if not self.can_add or self._data is None:
            return []
        count = min(len(self._data.getlist(_ADDED)), MAX_ADDED)
        added = [RowForm(added_row(number, self.choices), self._data) for number in range(1, count + 1)]
        if self.asks_for_row and count < MAX_ADDED:
            added.append(RowForm(added_row(count + 1, self.choices), None))
            added[-1].fields["title"].widget.attrs["autofocus"] = True
        return added

    @property
    def has_categories(self) -> bool:
        """Return whether rows have a choice of category."""
        return any("category" in form.fields for form in self.forms)

    @property
    def asks_for_row(self) -> bool:
        """Return whether the table was sent only to add a row."""
        return self.can_add and self._data is not None and ADD in self._data

    @property
    def was_sent(self) -> bool:
        """Return whether this is a sent table."""
        return self._data is not None

    @property
    def is_outdated(self) -> bool:
        """Return whether the rows have changed since they were shown."""
        return self._sent != {row.mark for row in self.rows}

    def is_valid(self) -> bool:
        """Return whether all selected rows are valid. False if the proposal is outdated."""
        return not self.is_outdated and not self.has_errors

    @property
    def has_errors(self) -> bool:
        """Return whether a row is invalid."""
        return any(form.is_bound and form.errors for form in self.forms)

    @cached_property
    def approved(self) -> list[Approved]:
        """The selected rows; only for a valid table."""
        return [approved for form in self.forms if (approved := form.approved()) is not None]


def added_row(number: int, choices: tuple[tuple[str, str], ...] = ()) -> ReviewRow:
    """The added row with this number, from 1."""
    empty: NewItem = {"title": "", "kind": ItemKind.ASSIGNMENT, "due_on": None}
    return ReviewRow(f"a{number}", State.ADDED, empty, ticked=True, choices=choices)


class ReviewAgain(Exception):
    """The table must be shown again: a row is invalid, or the rows have changed."""

    def __init__(self, review: Review) -> None:
        self.review = review
        super().__init__()


def approved_of(rows: Sequence[ReviewRow], data: QueryDict) -> list[Approved]:
    """The approval of `rows`.

    Raises:
        ReviewAgain: nothing can be applied yet.
    """
    review = Review(rows, data)
    if not review.is_valid():
        raise ReviewAgain(review)
    return review.approved

"""The forms of an item, of its milestones, and on the page of a course, and carrying them out."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar, cast
from uuid import UUID

from django import forms

from accounts.pages.forms import EditForm, LinesField, PercentField
from accounts.pages.once import OnceForm
from courses.models import MAX_NOTE, Item
from courses.pages.item_fields import (
    TIME_NEEDS_DATE,
    TOO_LONG,
    date_field,
    kind_field,
    require_date,
    time_field,
    title_field,
)
from courses.serializers import ItemFields, ItemRow, NewItem
from grades.points import MOST_PERCENT
from grades.serializers import CategoryRow
from planning.models import Milestone
from planning.serializers import MilestoneFields, MilestoneRow
from studyservice.operations.errors import ApiError, Conflict, ValidationFailed
from vocab.exam_records import LEAST_MINUTES, MOST_MINUTES

T = TypeVar("T")

_WORDS = {
    "item_id": "This item has a score already, or no longer exists. Choose another.",
    "due_time": TIME_NEEDS_DATE,
}
_GONE = "This choice no longer works. Choose again."


def sent(form: forms.Form, do: Callable[[], T]) -> T | ApiError:
    """Return the result of `do`, or its error after adding it to the form or a field.

    Raises:
        NotFound: the object of the form no longer exists.
    """
    try:
        return do()
    except Conflict as error:
        form.add_error(None, error.message)
        return error
    except ValidationFailed as error:
        for detail in error.details or ():
            field = detail["field"]
            form.add_error(field if field in form.fields else None, _WORDS.get(field, _GONE))
        return error


LISTED = "Choose one of the listed categories."


def id_field(label: str, help_text: str = "", error: str = LISTED) -> forms.TypedChoiceField:
    """An optional choice by id. `offer` sets the choices."""
    return forms.TypedChoiceField(
        label=label,
        required=False,
        help_text=help_text,
        coerce=UUID,
        empty_value=None,
        error_messages={"invalid_choice": error, "required": error},
    )


def offer(form: forms.Form, name: str, rows: Sequence[tuple[UUID, str]], none: str) -> None:
    """Set the choices of an `id_field`, after an empty one."""
    field = cast("forms.TypedChoiceField", form.fields[name])
    field.choices = [("", none), *((str(id_), text) for id_, text in rows)]


class ItemForm(EditForm):
    """An item."""

    title = title_field(Item)
    kind = kind_field()
    due_on = date_field()
    due_time = time_field()
    category_id = id_field("Grade category")
    note = LinesField(
        label="Note",
        required=False,
        max_length=MAX_NOTE,
        widget=forms.Textarea(attrs={"rows": 4, "autocomplete": "off"}),
        empty_value=None,
        error_messages={"max_length": TOO_LONG},
    )

    def __init__(self, data: Any = None, *, item: ItemRow, categories: Sequence[CategoryRow]) -> None:
        """The category of a graded item cannot be changed, because its score determines it."""
        super().__init__(data, stored={name: cast("Any", item)[name] for name in self.base_fields})
        category = self.fields["category_id"]
        if item["status"] == "graded":
            category.disabled, category.show_hidden_initial = True, False
            category.help_text = "Its score sets the category."
        offer(self, "category_id", [(one["id"], one["name"]) for one in categories], "None")
        if not categories:
            del self.fields["category_id"]

    def fields_changed(self) -> ItemFields:
        """The arguments of `update_item`."""
        return cast("ItemFields", self.changes())


class NewMilestoneForm(OnceForm):
    """A milestone to add."""

    use_required_attribute = False

    title = title_field(Milestone)
    due_on = date_field()

    def __init__(self, data: Any = None) -> None:
        super().__init__(data, auto_id="id_new_%s")


class MilestoneForm(EditForm):
    """A milestone of an item with this number of milestones."""

    title = title_field(Milestone)
    due_on = date_field()
    place = forms.TypedChoiceField(
        label="Place",
        coerce=int,
        error_messages={"invalid_choice": "Choose a listed place.", "required": "Choose a place."},
    )

    def __init__(self, data: Any = None, *, milestone: MilestoneRow, place: int, of: int) -> None:
        stored = {"title": milestone["title"], "due_on": milestone["due_on"], "place": place}
        super().__init__(data, stored=stored, auto_id=f"id_{milestone['id']}_%s")
        cast("forms.TypedChoiceField", self.fields["place"]).choices = [(n, str(n)) for n in range(1, of + 1)]

    def fields_changed(self) -> tuple[int | None, MilestoneFields]:
        """The new place or None, and the other arguments of `update_milestone`."""
        changes = self.changes()
        return changes.pop("place", None), cast("MilestoneFields", changes)


class MoveForm(forms.Form):
    """The new date of the item or milestone `id_`."""

    use_required_attribute = False

    due_on = date_field(required=True)

    def __init__(self, data: Any, *, id_: UUID) -> None:
        super().__init__(data, auto_id=f"id_{id_}_%s")


class Refused(NamedTuple):
    """A row of a list whose move was refused, with the form and its errors."""

    id: UUID
    form: MoveForm


class MinutesForm(forms.Form):
    """Minutes a day of an exam plan."""

    use_required_attribute = False
    _WRONG = f"Enter a whole number from {LEAST_MINUTES} to {MOST_MINUTES}."

    minutes = forms.IntegerField(
        label="Minutes a day",
        min_value=LEAST_MINUTES,
        max_value=MOST_MINUTES,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
        error_messages={"required": _WRONG, "invalid": _WRONG, "min_value": _WRONG, "max_value": _WRONG},
    )


class NewItemForm(OnceForm):
    """An item to add."""

    use_required_attribute = False

    title = title_field(Item)
    kind = kind_field()
    due_on = date_field()
    due_time = time_field()
    category_id = id_field("Grade category")

    def __init__(self, data: Any = None, *, categories: Sequence[CategoryRow]) -> None:
        super().__init__(data, initial={"kind": "assignment"}, auto_id="id_item_%s")
        offer(self, "category_id", [(one["id"], one["name"]) for one in categories], "None")
        if not categories:
            del self.fields["category_id"]

    clean = require_date

    def new_item(self) -> NewItem:
        """The arguments of `create_item`."""
        given = self.cleaned_data
        return {
            "title": given["title"],
            "kind": given["kind"],
            "due_on": given["due_on"],
            "due_time": given["due_time"],
            "category_id": given.get("category_id"),
        }


class AssumeForm(forms.Form):
    """The form for "what if": a score for every open piece."""

    use_required_attribute = False

    assume = PercentField(label="If I score … % on everything left", least=0, most=MOST_PERCENT)

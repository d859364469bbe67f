"""The forms on the page of a course: a new item, a new score, "what if"."""

from collections.abc import Sequence
from typing import Any

from django import forms

from accounts.pages.forms import NumberField
from accounts.pages.once import OnceForm
from courses.models import Item
from courses.serializers import NewItem
from grades.models import GradeScore
from grades.serializers import CategoryRow, NewScore
from planning.course_plan import PlannedItem
from planning.pages.item_forms import TOO_LONG, date_field, id_field, kind_field, offer, title_field
from studyservice.operations.columns import max_length

MOST_PERCENT = 150
"""The highest score, with extra credit."""


class NewItemForm(OnceForm):
    """An item to add."""

    use_required_attribute = False

    title = title_field(Item)
    kind = kind_field()
    due_on = date_field()
    category_id = id_field("Grade category")

    def __init__(self, data: Any = None, *, categories: Sequence[CategoryRow]) -> None:
        super().__init__(data, initial={"kind": "assignment"}, auto_id="id_item_%s")
        offer(self, "category_id", [(one["id"], one["name"]) for one in categories], "None")
        if not categories:
            del self.fields["category_id"]

    def new_item(self) -> NewItem:
        """The arguments of `create_item`."""
        given = self.cleaned_data
        return {
            "title": given["title"],
            "kind": given["kind"],
            "due_on": given["due_on"],
            "category_id": given.get("category_id"),
        }


class NewScoreForm(OnceForm):
    """A score to add. With an item, its title and category are the defaults."""

    use_required_attribute = False
    field_order = ("item_id", "score", "category_id", "label")

    item_id = id_field("Item", error="Choose one of the listed items, or none.")
    label = forms.CharField(
        label="Name",
        required=False,
        max_length=max_length(GradeScore, "label"),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        error_messages={"max_length": TOO_LONG},
    )
    category_id = id_field("Category")
    score = NumberField(label="Score (%)", least=0, most=MOST_PERCENT)

    def __init__(self, data: Any = None, *, categories: Sequence[CategoryRow], items: Sequence[PlannedItem]) -> None:
        super().__init__(data, auto_id="id_score_%s")
        again = None if data is None else data.get("item_id")  # graded since, if the form was sent twice
        self._items = {item["id"]: item for item in items if item["status"] != "graded" or str(item["id"]) == again}
        offer(self, "item_id", [(item["id"], item["title"]) for item in self._items.values()], "None")
        chosen = [item for item in self._items.values() if again is None or str(item["id"]) == again]
        by_item = any(item["category_id"] for item in chosen)
        named = [(one["id"], one["name"]) for one in categories]
        offer(self, "category_id", named, "Same as the item" if by_item else "Choose a category")
        if not self._items:
            del self.fields["item_id"]
        elif not data:
            self.fields["label"].help_text = "Defaults to the title of the item."

    def clean(self) -> dict[str, Any]:
        """Take name and category from the item."""
        given: dict[str, Any] = self.cleaned_data
        item = self._items.get(given.get("item_id"))  # type: ignore[arg-type]  # None is the id of no item
        of_item = None if item is None else item["category_id"]
        if "label" in given and not given["label"]:
            if item is None:
                self.add_error("label", "Enter what was graded.")
            else:
                given["label"] = item["title"][: max_length(GradeScore, "label")].strip()
        if "category_id" in given:
            if given["category_id"] is None and of_item is None:
                of = "" if item is None else f"“{item['title']}” has no category. "
                self.add_error("category_id", f"{of}Choose {'one' if of else 'a category'}.")
            elif of_item is not None and given["category_id"] not in {None, of_item}:
                self.add_error("category_id", "This item is in another category. Choose that one, or change the item.")
            else:
                given["category_id"] = given["category_id"] or of_item
        return given

    def new_score(self) -> NewScore:
        """The arguments of `add_grade_score`."""
        given = self.cleaned_data
        return {
            "category_id": given["category_id"],
            "item_id": given.get("item_id"),
            "label": given["label"],
            "score": given["score"],
        }


class AssumeForm(forms.Form):
    """The form for "what if": a score for every open piece."""

    use_required_attribute = False

    assume = NumberField(label="If I score … % on everything left", least=0, most=MOST_PERCENT)

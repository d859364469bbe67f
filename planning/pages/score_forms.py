"""The forms for scores: a single one, and many at once."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, cast
from uuid import UUID

from django import forms
from django.utils.formats import date_format

from accounts.pages.once import OnceForm
from courses.pages.item_fields import TOO_LONG
from courses.serializers import ItemRow
from grades.models import GradeScore
from grades.points import MOST_PERCENT
from grades.serializers import CategoryRow, NewScore, ScoreBody
from planning.course_plan import PlannedItem
from planning.pages.forms import id_field, offer
from studyservice.operations.columns import max_length
from studyservice.operations.errors import ValidationFailed
from studyservice.operations.fields import parse_uuid

ScoredItem = PlannedItem | ItemRow
"""An item as a page of its course or its own page has it."""

AS_POINTS: Final = "Or points, like 17/20."

_NUMBER: Final = "[0-9]+(?:[.,][0-9]+)?|[.,][0-9]+"
_SCORE: Final = re.compile(
    rf"(?P<score>{_NUMBER})\s*%?|(?P<points>{_NUMBER})\s*(?:/|(?:out\s+)?of\b)\s*(?P<out_of>{_NUMBER})",
    re.IGNORECASE,
)
_WRONG: Final = f"Enter a number from 0 to {MOST_PERCENT}. You can also enter points, like 17/20."
_UNNAMED: Final = "Enter what was graded."

NEW_ROWS: Final = 5
"""Number of rows for scores without an item."""


class ScoreField(forms.CharField):
    """A percent, or points out of a total, with a decimal point or a decimal comma: `85`, `85 %`, `87,5`, `17/20`.

    Its value has the fields of a score (`NewScore`); None if it is empty.
    """

    def __init__(self, **kwargs: Any) -> None:
        widget = forms.TextInput(attrs={"autocomplete": "off"})
        super().__init__(widget=widget, empty_value=None, error_messages={"required": _WRONG}, **kwargs)

    def clean(self, value: Any) -> Any:
        """Return the numbers, checked by the rules of the operation."""
        text = super().clean(value)
        if text is None:
            return None
        found = _SCORE.fullmatch(text)
        if found is None:
            raise forms.ValidationError(_WRONG)
        given = {name: float(number.replace(",", ".")) for name, number in found.groupdict().items() if number}
        try:
            return ScoreBody.parse(given, partial=True)
        except ValidationFailed:
            raise forms.ValidationError(_WRONG) from None


def label_field() -> forms.CharField:
    """The name of a score."""
    return forms.CharField(
        label="Name",
        required=False,
        max_length=max_length(GradeScore, "label"),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        error_messages={"required": _UNNAMED, "max_length": TOO_LONG},
    )


def label_of(item: ScoredItem) -> str:
    """The label of an item's score: its title, as far as it fits."""
    return item["title"][: max_length(GradeScore, "label")].strip()


def waits_for_score(item: ScoredItem) -> bool:
    """Return whether the item has a category and no score."""
    return item["category_id"] is not None and item["status"] != "graded"


def _score(given: Mapping[str, Any], item_id: UUID | None = None) -> NewScore:
    """The arguments of `add_grade_score` from cleaned fields."""
    named = {"category_id": given["category_id"], "item_id": item_id, "label": given["label"]}
    return cast("NewScore", named | given["score"])


class NewScoreForm(OnceForm):
    """A score to add. With an item, its title and category are the defaults."""

    use_required_attribute = False
    field_order = ("item_id", "score", "category_id", "label")

    item_id = id_field("Item", error="Choose one of the listed items, or none.")
    label = label_field()
    category_id = id_field("Category")
    score = ScoreField(label="Score (%)", help_text=AS_POINTS)

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
                self.add_error("label", _UNNAMED)
            else:
                given["label"] = label_of(item)
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
        return _score(self.cleaned_data, self.cleaned_data.get("item_id"))


class ItemScoresForm(forms.Form):
    """A score for each of some items, in fields that have their ids as names."""

    use_required_attribute = False

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        items: Sequence[ScoredItem],
        categories: Sequence[CategoryRow],
    ) -> None:
        super().__init__(data)
        self._items = {str(item["id"]): item for item in items}
        names = {one["id"]: one["name"] for one in categories}
        for key, item in self._items.items():
            about = [
                names[item["category_id"]] if item["category_id"] else "",
                date_format(item["due_on"], "j M Y") if item["due_on"] else "",
            ]
            self.fields[key] = ScoreField(label=item["title"], required=False, help_text=", ".join(filter(None, about)))

    def clean(self) -> dict[str, Any]:
        """Reject scores of items that have been graded, deleted or taken out of their category meanwhile."""
        for key, item in self._items.items():
            if self.cleaned_data.get(key) is None:
                continue
            if item["status"] == "graded":
                self.add_error(key, "This item has a score already.")
            elif item["category_id"] is None:
                self.add_error(key, "This item has no category. Choose one first.")
        for key in self.data:
            if parse_uuid(key) and key not in self.fields and self.data[key].strip():
                self.add_error(None, f"You entered “{self.data[key][:20]}” for an item that no longer exists.")
        return self.cleaned_data

    def scores(self) -> list[NewScore]:
        """The entered scores."""
        return [
            _score({"category_id": item["category_id"], "label": label_of(item), "score": score}, item["id"])
            for key, item in self._items.items()
            if (score := self.cleaned_data[key])
        ]


class FreeScoreForm(forms.Form):
    """A row for a score without an item. It cannot be invalid without a score."""

    use_required_attribute = False

    score = ScoreField(label="Score (%)", required=False)
    category_id = id_field("Category")
    label = label_field()

    def __init__(self, place: int, data: Mapping[str, Any] | None, categories: Sequence[CategoryRow]) -> None:
        super().__init__(data, prefix=f"new{place}")
        self.title = f"Score {place + 1}"
        offer(self, "category_id", [(one["id"], one["name"]) for one in categories], "Choose a category")

    def clean(self) -> dict[str, Any]:
        """Require a name and a category beside a score."""
        if not self["score"].data:
            self.errors.clear()
            return self.cleaned_data
        for name, message in (("category_id", "Choose a category."), ("label", _UNNAMED)):
            if not self.cleaned_data.get(name, True):
                self.add_error(name, message)
        return self.cleaned_data


class ScoresForm:
    """Scores of many items, and some of none.

    Args:
        items: those with a field; of others, sent scores are rejected.
    """

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        items: Sequence[PlannedItem],
        categories: Sequence[CategoryRow],
    ) -> None:
        self.of_items = ItemScoresForm(data, items=items, categories=categories)
        self.free = [FreeScoreForm(place, data, categories) for place in range(NEW_ROWS)]

    @property
    def errors(self) -> bool:
        """True if a row is invalid."""
        return any(form.errors for form in (self.of_items, *self.free))

    def scores(self) -> list[NewScore]:
        """The arguments of `add_grade_score` for each entered score."""
        free = [_score(form.cleaned_data) for form in self.free if form.cleaned_data.get("score")]
        return [*self.of_items.scores(), *free]

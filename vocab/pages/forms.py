"""The forms of decks and cards."""

from collections.abc import Mapping
from typing import Any, cast

from django import forms

from accounts.models import Member
from accounts.pages.forms import EditForm, LinesField, course_choices
from accounts.pages.once import OnceForm
from courses.courses import list_courses
from studyservice.operations.columns import max_length
from studyservice.rows.access import Access
from vocab.models import Card
from vocab.serializers import MAX_DECK_NAME, CardFields, DeckFields

TOO_LONG = "Use at most %(limit_value)d characters."
UNNAMED = "Enter a name for the deck."


def _lines(name: str, label: str, rows: int) -> LinesField:
    return LinesField(
        label=label,
        max_length=max_length(Card, name),
        widget=forms.Textarea(attrs={"rows": rows, "autocomplete": "off"}),
        error_messages={"required": f"Enter a {name}.", "max_length": TOO_LONG},
    )


def _deck_name(label: str) -> forms.CharField:
    return forms.CharField(
        label=label,
        max_length=MAX_DECK_NAME,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        error_messages={"required": UNNAMED, "max_length": TOO_LONG},
    )


def course_field(access: Access) -> forms.TypedChoiceField:
    """An optional choice of a member's course; its value is the id. One query."""
    courses = list_courses(access)
    ids = {str(one["id"]): one["id"] for one in courses}
    return forms.TypedChoiceField(
        label="Course",
        required=False,
        empty_value=None,
        choices=[("", "none"), *course_choices(courses)],
        coerce=ids.__getitem__,
        error_messages={"invalid_choice": "Choose one of your courses, or none."},
    )


class CardForm(OnceForm):
    """A new card."""

    use_required_attribute = False

    term = _lines("term", "Term", 2)
    definition = _lines("definition", "Definition", 2)

    def card(self) -> CardFields:
        """The texts of a valid form."""
        return {"term": self.cleaned_data["term"], "definition": self.cleaned_data["definition"]}


class CardChangesForm(EditForm):
    """An existing card."""

    term = _lines("term", "Term", 2)
    definition = _lines("definition", "Definition", 6)
    suspended = forms.BooleanField(
        label="Suspended", required=False, help_text="It is not asked until you clear this. Its schedule stays."
    )


class DeckForm(EditForm):
    """The name and the course of a deck."""

    name = _deck_name("Name")

    def __init__(self, sent: Any = None, *, member: Member, stored: Mapping[str, Any]) -> None:
        super().__init__(sent, stored=stored)
        self.fields["course_id"] = course_field(Access(member))
        self.fields["course_id"].show_hidden_initial = True


class NewDeckForm(CardForm):
    """A new deck with its first card."""

    name = _deck_name("Name of the deck")
    field_order = ("name", "course_id", "term", "definition")

    def __init__(self, sent: Any = None, *, member: Member) -> None:
        super().__init__(sent)
        self.fields["course_id"] = course_field(Access(member))
        self.order_fields(self.field_order)

    def deck(self) -> DeckFields:
        """The name and the course of a valid form."""
        return cast("DeckFields", {name: self.cleaned_data[name] for name in ("name", "course_id")})

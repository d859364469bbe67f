"""The forms for a new course, by hand or from a syllabus, and for changing one."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from functools import cached_property
from typing import Any, cast
from uuid import UUID

from django import forms
from django.http import QueryDict

from accounts.models import Member
from accounts.pages.forms import EditForm, PercentField
from accounts.pages.once import OnceForm
from courses.courses import create_course
from courses.entry_serializers import (
    MAX_CATEGORIES,
    CategoryEntryBody,
    CategoryEntryFields,
    CourseItemFields,
    CreatedCourseRow,
    NewCourseFields,
)
from courses.models import DEFAULT_TERM, Course
from courses.pages.item_fields import TOO_LONG
from courses.pages.review import Review, TickedForm, drop_lowest_field
from courses.serializers import COURSE_TEXTS, CourseRow
from courses.syllabi.warnings import about_weights
from courses.syllabus_rows import FOUND_WORDS, general_cautions, new_rows
from courses.uploads.serializers import ProposalRow, ProposedCategoryRow
from studyservice.database.expressions import fold
from studyservice.operations.columns import max_length
from studyservice.rows.access import Access
from studyservice.templatetags.site import number


def _text(name: str, label: str, help_text: str = "", *, required: bool = False) -> forms.CharField:
    return forms.CharField(
        label=label,
        help_text=help_text,
        required=required,
        max_length=max_length(Course, name),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        error_messages={"required": "Enter a name for the course.", "max_length": TOO_LONG},
    )


_EMPTY = {name: getattr(Course(), name) for name in COURSE_TEXTS}


def given_texts(course: CourseRow) -> dict[str, str | None]:
    """The texts of a course. A term that is the default counts as not given, because every course has one."""
    texts: dict[str, str | None] = {name: course[name] for name in COURSE_TEXTS}  # type: ignore[literal-required]
    return texts | {"term": "" if course["term"] == DEFAULT_TERM else course["term"]}


class CourseFields(forms.Form):
    """The fields of a course."""

    use_required_attribute = False

    name = _text("name", "Name", required=True)
    code = _text("code", "Course number", "Example: BIO 210")
    term = _text("term", "Term", "Example: Fall 2026")
    meets = _text("meets", "When it meets")
    institution = _text("institution", "School or university")
    subject = _text("subject", "Subject")

    def rarer(self) -> list[forms.BoundField]:
        """The fields that the page collapses."""
        return [field for field in self.visible_fields() if field.name not in {"name", "term"}]

    def rarer_errors(self) -> bool:
        """True if a collapsed field is invalid."""
        return any(field.errors for field in self.rarer())


class CourseForm(OnceForm, CourseFields):
    """A new course."""

    def fields_given(self) -> NewCourseFields:
        """The filled-in fields, for `create_course`."""
        given = self.cleaned_data
        return cast("NewCourseFields", {name: given[name] for name in COURSE_TEXTS if given[name]})


class CourseChangesForm(EditForm, CourseFields):
    """Changes of a course."""

    def clean(self) -> dict[str, Any]:
        """Emptied fields get the default of a new course."""
        given = super().clean() or self.cleaned_data
        return {name: value or _EMPTY[name] for name, value in given.items()}


_CATEGORY: Mapping[str, Any] = CategoryEntryBody.shared(partial=False).fields
_NAME = _CATEGORY["name"]


class WeightForm(TickedForm):
    """A category of the grade."""

    name = forms.CharField(
        max_length=_NAME.max_length,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        error_messages={"required": "Enter a name.", "max_length": TOO_LONG},
    )
    weight = PercentField(least=0, most=100, error_messages={"required": "Enter a weight."})
    drop_lowest = drop_lowest_field()

    def __init__(self, place: int, proposed: ProposedCategoryRow, data: QueryDict | None) -> None:
        """Bind the fields to the sent data, if any."""
        ticked = place < MAX_CATEGORIES and not proposed["doubt"]
        initial = {"tick": ticked, "name": proposed["name"], "weight": number(proposed["weight"])}
        self.key = f"c{place}"
        super().__init__(data, prefix=self.key, initial=initial | {"drop_lowest": proposed["drop_lowest"]})
        self.line = proposed["line"]
        self.note = f"We left this unticked: {proposed['doubt']}." if proposed["doubt"] else ""
        self.word = FOUND_WORDS[proposed["evidence"]] if proposed["evidence"] and not proposed["doubt"] else ""
        labels = {"name": "Name", "weight": "Weight in percent", "drop_lowest": "Lowest scores dropped"}
        self.announce("Add", proposed["name"], labels)


class NewCourse:
    """The approved parts of a syllabus: the course, its items, and the weights of its grade.

    Args:
        proposal: the proposal of the syllabus.
        data: the sent data; None if it is shown for the first time.
    """

    def __init__(self, proposal: ProposalRow, data: QueryDict | None = None) -> None:
        self.course = CourseForm(data, initial=dict(proposal["course"]))
        self.weights = [WeightForm(place, one, data) for place, one in enumerate(proposal["grade_categories"])]
        proposed = tuple((form.key, form.initial["name"]) for form in self.weights)
        typed = tuple((form.key, form["name"].value() or form.initial["name"]) for form in self.weights)
        rows = [replace(row, choices=typed) for row in new_rows(proposal, proposed)]
        self.review = Review(rows, data, can_add=True, choices=typed)
        self._warnings = proposal["warnings"]

    @property
    def cautions(self) -> list[str]:
        """General warnings. Of sent weights, the one that they do not add up."""
        if not self.course.is_bound:
            return general_cautions(self._warnings)
        others = [one for one in self._warnings if one["type"] != "weights"]
        sent = [] if any(form.errors for form in self.weights) else self._categories()
        return general_cautions(others) + about_weights([float(one["weight"]) for one in sent])

    def is_valid(self) -> bool:
        """True if nothing is invalid."""
        return self.course.is_valid() and self.review.is_valid() and not self.has_errors and self._is_unambiguous()

    def _is_unambiguous(self) -> bool:
        """Require different names of categories that items have."""
        of_name: defaultdict[str, list[WeightForm]] = defaultdict(list)
        for form in self._ticked:
            of_name[fold(form.cleaned_data["name"])].append(form)
        chosen = {one.category for one in self.review.approved}
        for alike in of_name.values():
            if len(alike) > 1 and chosen & {form.key for form in alike}:
                alike[-1].add_error("name", "Two categories of items have this name. Choose another.")
        return not self.has_errors

    @property
    def has_errors(self) -> bool:
        """True if a field is invalid."""
        wrong = bool(self.course.errors) or self.review.has_errors or any(form.errors for form in self.weights)
        return wrong or bool(self.too_many_weights)

    @cached_property
    def too_many_weights(self) -> str:
        """The error if too many categories are selected."""
        is_over = len(self._ticked) > MAX_CATEGORIES
        return f"A grade has at most {MAX_CATEGORIES} categories; untick some." if is_over else ""

    @property
    def _ticked(self) -> list[WeightForm]:
        return [form for form in self.weights if form.is_bound and form.is_valid() and form.cleaned_data["tick"]]

    def make(self, member: Member, *, text: str | None, syllabus_id: UUID | None) -> CreatedCourseRow:
        """Create the course from a text or from an uploaded file.

        Raises:
            Conflict: there would be too many courses or items.
        """
        fields = self.course.fields_given()
        fields["syllabus_text"], fields["syllabus_id"] = text, syllabus_id
        names = {form.key: form.cleaned_data["name"] for form in self._ticked}
        items = [one.item | {"category": names.get(one.category)} for one in self.review.approved]
        fields["items"] = cast("list[CourseItemFields]", items)
        fields["grade_categories"] = self._categories()
        return create_course(Access(member), **fields)

    @property
    def taken(self) -> str:
        """A summary of what was approved."""
        items, weights = len(self.review.approved), len(self._categories())
        told = f"{items} deadline{'' if items == 1 else 's'}"
        return f"{told} and {weights} grade categor{'y' if weights == 1 else 'ies'}" if weights else told

    def _categories(self) -> list[CategoryEntryFields]:
        taken = [form.cleaned_data for form in self._ticked]
        return [
            {"name": one["name"], "weight": Decimal(one["weight"]), "drop_lowest": one["drop_lowest"] or 0}
            for one in taken
        ]

"""The field *Add*, which makes an item from one line, and what is said of it."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from django import forms
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString

from accounts.models import Member
from accounts.pages.once import OnceForm
from courses.models import Item
from courses.pages.item_fields import TOO_LONG
from courses.serializers import CourseRow, NewItem
from planning.line import mark_of, read_line
from planning.pages.forms import id_field, offer
from planning.pages.remarks import of_created, short, with_remarks
from studyservice.operations.columns import max_length

MOST_CHARACTERS = 500
"""Of a line: a title and room for the rest."""

_HELP = 'For example: Essay 2 Fri 17:00{}. <a href="{}">What you can write</a>'
_FORMS = "adding-an-item-in-one-line"
"""The section of the guide that lists what is read."""

_NO_COURSE = "Add a course first. We keep your line until then."
_MOST_IN_TITLE = max_length(Item, "title")


class LineForm(OnceForm):
    """An item to add, from one line (`planning.line`). It asks for a course if the line does not say it."""

    use_required_attribute = False

    line = forms.CharField(
        label="Add an item",
        max_length=MOST_CHARACTERS,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        error_messages={"required": "Enter what to add, like “Essay 2 Fri 17:00”.", "max_length": TOO_LONG},
    )
    course_id = id_field("Course", error="Choose one of your courses.")

    def __init__(self, data: Any = None, *, member: Member, courses: Sequence[CourseRow] = (), line: str = "") -> None:
        """`line` is what the field of an unbound form has.

        Args:
            courses: the member's open courses.
        """
        super().__init__(data, initial={"line": line}, auto_id="id_add_%s")
        self.member, self.courses = member, courses
        mark = mark_of(courses[0], courses) if courses else ""
        guide = f"{reverse('guide', args=['members'])}#{_FORMS}"
        self.fields["line"].help_text = format_html(_HELP, f" {mark}" if mark else "", guide)
        offer(self, "course_id", [(one["id"], one["name"]) for one in courses], "Choose a course")

    def clean(self) -> dict[str, Any]:
        """Read the line into `title`, `kind`, `due_on`, `due_time` and `course_id`, or say what it lacks."""
        given: dict[str, Any] = self.cleaned_data
        if "line" not in given:
            return given
        read = read_line(given["line"], self.courses, timezone.localtime(timezone=ZoneInfo(self.member.time_zone)))
        if not read.title:
            self.add_error("line", "Enter a title too, like “Essay 2”.")
        elif len(read.title) > _MOST_IN_TITLE:
            self.add_error("line", f"Use at most {_MOST_IN_TITLE} characters for the title.")
        elif not self.courses:
            self.add_error("line", forms.ValidationError(_NO_COURSE, code=_NO_COURSE))
        elif "course_id" in given and given["course_id"] is None and read.course is None:
            self.add_error("course_id", read.why)
        chosen = given.get("course_id") or (read.course and read.course["id"])
        return {
            **given,
            **{name: getattr(read, name) for name in ("title", "kind", "due_on", "due_time", "stayed")},
            "course_id": chosen,
        }

    @property
    def asks_for_course(self) -> bool:
        """True if the form shows its choice of a course: it asked, or a course is chosen."""
        return bool(self.courses) and bool(self["course_id"].errors or self["course_id"].value())

    @property
    def needs_course(self) -> bool:
        """True if only a course is missing, because the member has none."""
        return self.has_error("line", _NO_COURSE)

    def new_item(self) -> tuple[UUID, NewItem]:
        """The course of a valid form, and the arguments of `create_item`."""
        given = self.cleaned_data
        item: NewItem = {
            "title": given["title"],
            "kind": given["kind"],
            "due_on": given["due_on"],
            "due_time": given["due_time"],
        }
        return given["course_id"], item


_FAR_OFF = timedelta(days=300)
"""From today. A date without a year can be that far off because the member meant one that has gone by."""

_STAYED = "“{}” stayed in the title. Write a date like 6 Dec or 2026-12-06 and a time like 17:00."


def said_of(item: Mapping[str, Any], stayed: str, today: date) -> SafeString:
    """Tell what was read, with remarks and a link to change the item.

    Args:
        item: the record of `remarks.created`, as in JSON.
        stayed: words of the title that look like a date or a time.
    """
    when = "without a date"
    if item["due_on"] is not None:
        day = date.fromisoformat(item["due_on"])
        when = f"due {day:%A} {short(day, today)}"
    if item["due_time"] is not None:
        when = f"{when} at {item['due_time']}"
    if item["due_on"] is not None and day - today > _FAR_OFF:
        when = f"{when}, in {(day - today).days} days"
    change = '<a href="{}">Change<span class="unseen"> “{}”</span></a>'
    return with_remarks(
        f"Added “{item['title']}” to {item['course_name']}, {when}.",
        stayed and _STAYED.format(stayed),
        of_created(item, today),
        format_html(change, reverse("item", args=[item["id"]]), item["title"]),
    )

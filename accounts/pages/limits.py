"""The limits of a key or an app: the form, on three pages, and the page that changes them."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from accounts.credentials.connections import CONNECTED_APPS
from accounts.credentials.keys import active_keys, limit_api_key
from accounts.credentials.limiting import COURSE_NAMES, CourseName
from accounts.members.models import Member
from accounts.pages.forms import course_choices, status_of
from accounts.pages.signed_in import FORM, for_members
from studyservice.http.error_pages import returns_input
from studyservice.rows.limits import NO_LIMITS, Limits, day_in_words

_ALL, _THESE = "all", "these"
_YES, _NO = "yes", "no"
_MOST_NAMED = 3
"""Number of courses up to which a phrase names each."""


def _radio_buttons(label: str, *choices: tuple[str, str]) -> forms.ChoiceField:
    """Return a field with radio buttons, of which the first is chosen."""
    return forms.ChoiceField(
        label=label, choices=choices, initial=choices[0][0], required=False, widget=forms.RadioSelect
    )


class LimitsForm(forms.Form):
    """The limits of a key or an app.

    Without a choice of courses or grades, it allows all of them. Choosing some courses but ticking none is an error; it
    never means all. So is choosing all but ticking some.
    """

    which = _radio_buttons("Courses", (_ALL, "All, later ones too"), (_THESE, "Only these"))
    courses = forms.MultipleChoiceField(
        required=False,
        widget=forms.CheckboxSelectMultiple,
        error_messages={"invalid_choice": "This is not one of your courses. Tick those that it may see."},
    )
    grades = _radio_buttons("Grades", (_YES, "Yes"), (_NO, "No"))
    until = forms.DateField(
        label="Until",
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        error_messages={"invalid": "Enter a date, like 2027-01-31, or leave it empty for no end."},
    )

    def __init__(self, data: Any, member: Member, *, limits: Limits = NO_LIMITS, ends: bool = True) -> None:
        """Create the form for `member`.

        Args:
            limits: the current ones, which the form starts with.
            ends: whether to ask for a last day; API keys have an expiry instead.
        """
        self.names: Sequence[CourseName] = COURSE_NAMES.get()(member.id)
        initial = {
            "which": _ALL if limits.courses is None else _THESE,
            "courses": list(limits.courses or ()),
            "grades": _YES if limits.grades else _NO,
            "until": limits.until,
        }
        super().__init__(data, initial=initial)
        self.today = member.today()
        self.there = [str(course["id"]) for course in self.names]
        self.kept = limits.courses or ()
        self.asks_courses = bool(self.names) or limits.courses is not None
        chosen: Any = self.fields["courses"]
        chosen.choices = course_choices(self.names)
        if not ends:
            del self.fields["until"]

    def clean(self) -> dict[str, Any]:
        """Refuse a selection without courses, courses without a selection, and an end in the past."""
        cleaned: dict[str, Any] = super().clean() or {}
        if self._selects_courses() and not cleaned.get("courses") and "courses" not in self.errors:
            self.add_error("courses", "Tick at least one course, or choose all.")
        if cleaned.get("which") == _ALL and cleaned.get("courses"):
            self.add_error("which", "You ticked courses: choose Only these, or untick them.")
        until = cleaned.get("until")
        if until is not None and until < self.today:
            self.add_error("until", "This day is over. Choose today or a later day.")
        return cleaned

    def _selects_courses(self) -> bool:
        which = self.cleaned_data.get("which")
        return which == _THESE or (not which and bool(self.cleaned_data.get("courses")))

    def limits(self) -> Limits:
        """Return the chosen limits. Deleted courses stay in the list, because an undo can restore them."""
        gone = [one for one in self.kept if one not in self.there]
        return Limits(
            courses=(*self.cleaned_data["courses"], *gone) if self._selects_courses() else None,
            grades=self.cleaned_data.get("grades") != _NO,
            until=self.cleaned_data.get("until"),
        )

    def in_words(self, limits: Limits) -> str:
        """Describe what a key or an app sees, one sentence for each limit; empty without limits."""
        told = []
        if limits.courses is not None:
            seen = self._names_of(limits.courses)
            told.append(f"Sees only {', '.join(seen)}." if seen else "Sees no course.")
        if not limits.grades:
            told.append("Does not see grades.")
        if limits.until is not None:
            told.append(f"Works until {day_in_words(limits.until)}.")
        return " ".join(told)

    def in_a_phrase(self, limits: Limits) -> str:
        """Describe what a key or an app sees, after a verb: `only Cell Biology, no grades`; empty without limits."""
        if limits == NO_LIMITS:
            return ""
        seen = self._names_of(limits.courses or ())
        if limits.courses is None:
            told = ["all courses" if not limits.grades else "everything"]
        elif not seen:
            told = ["no course"]
        else:
            told = [f"only {', '.join(seen) if len(seen) <= _MOST_NAMED else f'{len(seen)} courses'}"]
        told += [] if limits.grades else ["no grades"]
        told += [] if limits.until is None else [f"until {day_in_words(limits.until)}"]
        return ", ".join(told)

    def _names_of(self, courses: Sequence[str]) -> list[str]:
        return [course["name"] for course in self.names if str(course["id"]) in courses]


@returns_input
@for_members(FORM)
def limit_key(request: HttpRequest, member: Member, key_id: UUID) -> HttpResponse:
    """Ask for the key's limits on GET, change them on POST."""
    key = get_object_or_404(active_keys(member), id=key_id)
    return _changed(request, member, key.name, key.limited_to(), partial(limit_api_key, key), ends=False)


@returns_input
@for_members(FORM)
def limit_app(request: HttpRequest, member: Member, app_id: UUID) -> HttpResponse:
    """Ask for the app's limits on GET, change them on POST."""
    apps = CONNECTED_APPS.get()
    app = apps.one(member, app_id)
    if app is None:
        raise Http404
    return _changed(request, member, app.name, app.limits, partial(apps.limit, member, app_id), ends=True)


def _changed(
    request: HttpRequest, member: Member, name: str, limits: Limits, save: Callable[[Limits], None], *, ends: bool
) -> HttpResponse:
    is_post = request.method == "POST"
    form = LimitsForm(request.POST if is_post else None, member, limits=limits, ends=ends)
    if is_post and form.is_valid():
        save(form.limits())
        messages.success(request, f"Saved. It counts from the next call of \u201c{name}\u201d.")
        return redirect("keys")
    context = {"limits_form": form, "name": name, "who": "it"}
    return render(request, "accounts/change_limits.html", context, status=status_of(form))

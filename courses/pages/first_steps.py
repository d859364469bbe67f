"""The first steps of a new account: a course from a syllabus, then a connected assistant."""

from typing import NamedTuple

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from accounts.credentials.connections import CONNECTED_APPS
from accounts.models import Member
from accounts.pages.sign_in import target_after
from accounts.pages.signed_in import POST, for_active_members
from accounts.rows.access import Access


class FirstSteps(NamedTuple):
    """The steps.

    Attributes:
        asks_for_app: whether to suggest an assistant; not if the member dismissed it.
    """

    has_course: bool
    has_app: bool
    asks_for_app: bool


def first_steps(access: Access, courses: int) -> FirstSteps | None:
    """Return the first steps of a member with this many courses. None once both are done or the second one is
    dismissed, and with a second course. At most one statement.
    """
    if courses > 1 or (courses and access.member.assistant_dismissed):
        return None
    has_app = bool(CONNECTED_APPS.get().of(access.member).listed)
    if courses and has_app:
        return None
    return FirstSteps(
        has_course=courses == 1, has_app=has_app, asks_for_app=has_app or not access.member.assistant_dismissed
    )


@for_active_members(POST)
def dismiss_assistant(request: HttpRequest, member: Member) -> HttpResponse:
    """Stop suggesting an assistant, and show the originating page again."""
    Member.objects.filter(id=member.id).update(assistant_dismissed=True)
    return HttpResponseRedirect(target_after(request))

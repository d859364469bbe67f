"""The members' rows of this app."""

from accounts.members.archived import Archived
from accounts.members.data import MemberData, register
from practice.archive import AttemptLine, remove_present
from practice.attempts import bring_attempts_back, settle_sums
from practice.limited import attempts_in_courses, sums_in_courses
from practice.models import Attempt, PracticeSum
from practice.rebuilding import repair_sums

register(
    MemberData(
        Attempt,
        course="course_id",
        view=attempts_in_courses,
        archived=Archived(
            name="attempts",
            line=AttemptLine,
            order=("attempted_at", "id"),
            added={"is_first": 2, "foretold": 2},
            keeps_time=True,
            remove_present=remove_present,
        ),
        plain_references={"deck_id": "vocab.Deck", "course_id": "courses.Course"},
        settle=settle_sums,
        not_listed="what a review adds to the statistics",
        unlimited="a row for each answer",
        repair_clock=bring_attempts_back,
    )
)
register(
    MemberData(
        PracticeSum,
        course="course_id",
        view=sums_in_courses,
        not_archived="computed from the attempts",
        unlimited="computed from the attempts",
        no_admin="computed from the attempts",
        repair_counts=repair_sums,
    )
)

"""The members' rows of this app."""

from practice.archive import AttemptRules, remove_present
from practice.attempts import settle_sums
from practice.limited import COURSE_NOW, NOT_OF_DAY, of_seen_decks, seen_sums
from practice.models import Attempt, PracticeSum
from practice.rebuilding import repair_sums
from studyservice.registry.archived import Archived
from studyservice.registry.data import Computed, Logged, MemberData, Visible, register

register(
    MemberData(
        Attempt,
        course="course_id",
        archived=Archived(
            name="attempts",
            rules=AttemptRules,
            order=("attempted_at", "id"),
            keeps_time=True,
            remove_present=remove_present,
        ),
        no_maximum="a row for each answer",
        visible=Visible(seen=of_seen_decks, in_courses={"course_id": COURSE_NOW}),
        log=Logged(
            plain_references={"deck_id": "vocab.Deck", "course_id": "courses.Course"},
            settle=settle_sums,
            not_listed="what a review adds to the statistics",
            left_out="the log of reviews has their origin",
        ),
    )
)
register(
    MemberData(
        PracticeSum,
        course="course_id",
        archived="computed from the attempts",
        no_maximum="computed from the attempts",
        no_admin="computed from the attempts",
        visible=Visible(seen=seen_sums, in_courses={"course_id": COURSE_NOW, **NOT_OF_DAY}),
        log=Logged(
            plain_references={"deck_id": "vocab.Deck", "course_id": "courses.Course"},
            remembered=True,
            left_out="computed from the attempts",
        ),
        computed=Computed(recompute=repair_sums),
    )
)

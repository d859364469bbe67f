"""The members' rows of this app."""

from planning.calendar.events import write_calendar
from planning.calendar.importing import EVENTS_OF_COURSE
from planning.course_plan import folded_milestone
from planning.milestones import MILESTONES_OF_ITEM, MILESTONES_OF_MEMBER
from planning.models import DueCalendar, ImportedEvent, Milestone, SchoolCalendar
from planning.school_calendars.rows import CALENDARS
from planning.school_calendars.schedule import reschedule
from planning.serializers import MilestoneValues
from studyservice.registry.archived import Archived
from studyservice.registry.data import Computed, Logged, MemberData, register

register(
    MemberData(
        Milestone,
        course="item__course",
        archived=Archived(
            name="milestones",
            rules=MilestoneValues,
            order=("item_id", "position", "created_at", "id"),
            left_out={"folded": "made of the title when it is taken in"},
            also={"calendar.ics": write_calendar},
        ),
        maxima=(MILESTONES_OF_MEMBER, MILESTONES_OF_ITEM),
        log=Logged(moved=("position",), unstamped=("position",)),
        computed=Computed(derived=folded_milestone, derived_from=("title",), revised_by=("title", "due_on")),
    )
)
register(
    MemberData(
        ImportedEvent,
        course="course",
        archived=Archived(
            name="imported_events",
            order=("course_id", "due_on", "id"),
            loose={"item_id": "courses.Item"},
            once=("course_id", "calendar_id", "uid", "instance"),
            left_out={"is_gone": "the next reading tells it anew"},
        ),
        maxima=(EVENTS_OF_COURSE,),
        no_admin="what is remembered of a calendar file",
        log=Logged(
            not_listed="what is remembered of a calendar file",
            left_out="what is remembered of a calendar file, which an undo leaves",
            remembered=True,
        ),
    )
)
register(
    MemberData(
        SchoolCalendar,
        course="course_id",
        archived="its address is a secret, which an archive does not hold",
        maxima=(CALENDARS,),
        log=Logged(
            not_kept="its address is a secret, which the log of changes does not hold",
            columns=("name", "host", "course_id", "paused", "choices"),
            made_with={"choices": {}},
            settle=reschedule,
        ),
    )
)
register(
    MemberData(
        DueCalendar,
        whole_member="says when a calendar is read",
        archived="says when a calendar is read",
        no_admin="says when a calendar is read",
    )
)

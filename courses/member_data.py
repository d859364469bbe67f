"""The members' rows of this app."""

from accounts.members.archived import Archived
from accounts.members.data import MemberData, register
from courses.archive import CourseLine, ItemLine, SyllabusFileLine
from courses.courses import COURSES
from courses.item_counts import ITEMS_OF_COURSE, ITEMS_OF_MEMBER
from courses.models import Course, Item, SyllabusFile
from courses.uploads.attaching import FILES_OF_COURSE, detach_again
from courses.uploads.rows import require_room

_LONG_LINE = 8 * 1024 * 1024

register(
    MemberData(
        Course,
        course="self",
        archived=Archived(
            name="courses",
            line=CourseLine,
            order=("created_at", "id"),
            left_out={"item_count": "counted when it is taken in"},
            long_line=_LONG_LINE,
            must_be_empty=True,
        ),
        stamps=("created_at", "updated_at"),
        limits=(COURSES,),
    )
)
register(
    MemberData(
        SyllabusFile,
        course="course",
        archived=Archived(
            name="syllabus_files",
            line=SyllabusFileLine,
            order=("created_at", "id"),
            left_out={
                "compared_with_id": "of an upload that waits for its course",
                "expires_at": "of an upload that waits for its course",
            },
            long_line=_LONG_LINE,
            only={"course__isnull": False},
            require_room=require_room,
        ),
        stamps=("created_at",),
        limits=(FILES_OF_COURSE,),
        undo_fields={"syllabus_file.course_id": detach_again},
    )
)
register(
    MemberData(
        Item,
        course="course",
        archived=Archived(name="items", line=ItemLine, order=("created_at", "id")),
        stamps=("created_at", "updated_at"),
        restamped=("created_at", "updated_at"),
        limits=(ITEMS_OF_MEMBER, ITEMS_OF_COURSE),
    )
)

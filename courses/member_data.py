"""The members' rows of this app."""

from accounts.members.archived import Archived
from accounts.members.data import Computed, Logged, MemberData, Visible, register
from courses.archive import ItemRules, SyllabusFileRules
from courses.courses import COURSES
from courses.item_batches import ITEMS_OF_COURSE, ITEMS_OF_MEMBER
from courses.item_rows import folded_course, folded_item
from courses.models import Course, Item, SyllabusFile
from courses.serializers import CourseBody
from courses.uploads.attaching import FILES_OF_COURSE, expiry
from courses.uploads.rows import require_room, seen_files

register(
    MemberData(
        Course,
        course="self",
        archived=Archived(
            name="courses",
            rules=CourseBody,
            order=("created_at", "id"),
            left_out={"folded": "made of the name when it is taken in"},
            must_be_empty=True,
        ),
        maxima=(COURSES,),
        computed=Computed(derived=folded_course, derived_from=("name",)),
    )
)
register(
    MemberData(
        SyllabusFile,
        course="course",
        archived=Archived(
            name="syllabus_files",
            rules=SyllabusFileRules,
            order=("created_at", "id"),
            left_out={
                "compared_with_id": "of an upload that waits for its course",
                "sent_by": "a credential, of which no archive has any",
                "expires_at": "of an upload that waits for its course",
                "model_state": "a reading is no study data",
                "model_asked_at": "a reading is no study data",
                "model_error": "a reading is no study data",
                "model_answer": "a reading is no study data",
            },
            only={"course__isnull": False},
            require_room=require_room,
        ),
        maxima=(FILES_OF_COURSE,),
        visible=Visible(seen=seen_files),
        log=Logged(columns=("filename", "media_type", "size", "course_id", "text_status", "characters", "pages")),
        computed=Computed(derived=expiry, derived_from=("course_id",)),
    )
)
register(
    MemberData(
        Item,
        course="course",
        archived=Archived(
            name="items",
            rules=ItemRules,
            order=("created_at", "id"),
            shares={"category_id": "course_id"},
            left_out={
                "graded": "told by the scores",
                "marked_at": "an import is a later change",
                "folded": "made of title and note when it is taken in",
            },
        ),
        maxima=(ITEMS_OF_MEMBER, ITEMS_OF_COURSE),
        log=Logged(
            restamped=("created_at", "updated_at"),
            defaults=lambda member: {"missable_from": member.today()},
            unstamped=("category_id",),
            made_with={"category_id": None, "note": None, "done": False},
        ),
        computed=Computed(
            derived=folded_item, derived_from=("title", "note"), revised_by=("title", "kind", "due_on", "done")
        ),
    )
)

"""The members' rows of this app."""

from accounts.members.archived import Archived
from accounts.members.data import MemberData, register
from grades.archive import GradeCategoryLine, GradeScoreLine
from grades.categories import CATEGORIES_OF_COURSE, MADE_WITH
from grades.marks import repair_marks, settle_undone
from grades.models import GradeCategory, GradeScore
from grades.scores import SCORES_OF_COURSE
from grades.undoing import categorize_again, of_its_category, put_categories_back

register(
    MemberData(
        GradeCategory,
        course="course",
        archived=Archived(
            name="grade_categories",
            line=GradeCategoryLine,
            order=("course_id", "position", "id"),
            added={"drop_lowest": 2},
        ),
        limits=(CATEGORIES_OF_COURSE,),
        made_with=MADE_WITH,
        undo_fields={"course.categories": put_categories_back},
    )
)
register(
    MemberData(
        GradeScore,
        course="category__course",
        archived=Archived(
            name="grade_scores",
            line=GradeScoreLine,
            order=("created_at", "id"),
            added={"item_id": 2},
            once=("item_id",),
            shares={"item_id": "category_id"},
        ),
        stamps=("created_at",),
        limits=(SCORES_OF_COURSE,),
        made_with={"item_id": None},
        refills={"item_id": of_its_category},
        on_restore=categorize_again,
        settle=settle_undone,
        repair_counts=repair_marks,
    )
)

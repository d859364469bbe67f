"""The members' rows of this app."""

from courses.models import Item
from grades.archive import write_grades
from grades.categories import CATEGORIES_OF_COURSE
from grades.marks import of_its_category, repair_marks, settle_undone
from grades.models import GradeCategory, GradeScore
from grades.points import AS_POINTS
from grades.scores import SCORES_OF_COURSE
from grades.serializers import CategoryBody, ScoreBody
from studyservice.registry.archived import Archived
from studyservice.registry.data import Computed, Logged, MemberData, Visible, hide_without_grades, register

register(
    MemberData(
        GradeCategory,
        course="course",
        archived=Archived(
            name="grade_categories",
            rules=CategoryBody,
            order=("course_id", "position", "id"),
        ),
        maxima=(CATEGORIES_OF_COURSE,),
        visible=Visible(is_grade=True),
        log=Logged(made_with={"drop_lowest": 0}),
    )
)
register(
    MemberData(
        GradeScore,
        course="category__course",
        archived=Archived(
            name="grade_scores",
            rules=ScoreBody,
            order=("created_at", "id"),
            once=("item_id",),
            shares={"item_id": "category_id"},
            also={"grades.csv": write_grades},
        ),
        maxima=(SCORES_OF_COURSE,),
        visible=Visible(is_grade=True),
        log=Logged(
            made_with={"item_id": None, **AS_POINTS}, refills={"item_id": of_its_category}, settle=settle_undone
        ),
        computed=Computed(recompute=repair_marks),
    )
)
_SCORED_AT = "(SELECT MIN(s.created_at) FROM grades_gradescore s WHERE s.member_id = t.member_id AND s.item_id = t.id)"
hide_without_grades(
    Item,
    {
        "category_id": "NULL",
        "graded": "FALSE",
        "done": "(t.done OR t.graded)",
        "done_at": f"CASE WHEN t.graded AND NOT t.done THEN {_SCORED_AT} ELSE t.done_at END",
    },
)

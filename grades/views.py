"""Operations on grades."""

from http import HTTPStatus
from uuid import UUID

from courses.courses import seen_course
from grades import breakdown, categories, scores
from grades.serializers import (
    CategoriesBody,
    GradeBreakdownRow,
    GradeScoreRow,
    GradesQuery,
    ScoreBody,
)
from studyservice.operations.declaration import Scope, operation
from studyservice.operations.serializers import DeletedRow
from studyservice.viewsets import MemberViewSet


class GradeViewSet(MemberViewSet):
    """The grades of a course."""

    tag = "Grades"

    @operation("Get the grades", scope=Scope.READ, answer=GradeBreakdownRow, query=GradesQuery, grades=True)
    def get_grades(self, course_id: UUID) -> GradeBreakdownRow:
        """A course's categories, scores and averages, the current grade, its letter by this service's table, and the
        outlook: the score on what is open with which the rounded grade reaches each letter or a target. Open:
        categories without scores; all items to come; of others as many as no score can be of.

        Read the current grade and the range that is still possible. Only categories with scores count toward
        the current grade; the outlook shows the score needed in the rest.
        """
        return breakdown.get_grades(self.access, course_id, **self.query)

    @operation(
        "Set the grade categories",
        scope=Scope.WRITE,
        answer=GradeBreakdownRow,
        body=CategoriesBody,
        exists=seen_course,
        consequential=True,
        grades=True,
    )
    def set_grade_categories(self, course_id: UUID) -> GradeBreakdownRow:
        """Call get_grades first and send every category with its id. This replaces the complete list, at most 12: a
        category left out is deleted with its scores. For 30 days the member can undo it on this site's page /activity.
        Confirm with the member first.

        Send the complete list. Keep a category by sending its id; a category that is missing from the list is
        deleted with its scores.
        """
        return categories.set_grade_categories(self.access, course_id, **self.body)

    @operation(
        "Add a score",
        scope=Scope.WRITE,
        answer=GradeScoreRow,
        status=HTTPStatus.CREATED,
        body=ScoreBody,
        exists=seen_course,
        counted=True,
        grades=True,
    )
    def add_grade_score(self, course_id: UUID) -> GradeScoreRow:
        """Record a score, in percent or points, in one of the course's categories; get_grades gives the category ids.
        With item_id it grades that item.

        Enter one result: a percent, for example 87.5, or 17 of 20 points. The current grade changes at once.
        """
        return scores.add_grade_score(self.access, course_id, **self.body)

    @operation(
        "Change a score",
        scope=Scope.WRITE,
        answer=GradeScoreRow,
        body=ScoreBody,
        partial=True,
        exists=scores.require_score,
        tool=False,
        grades=True,
    )
    def update_grade_score(self, score_id: UUID) -> GradeScoreRow:
        """Change the fields that are sent; a score can go to another category of its course.

        Correct a result, rename it or move it to another category of the same course.
        """
        return scores.update_grade_score(self.access, score_id, **self.body)

    @operation("Delete a score", scope=Scope.WRITE, answer=DeletedRow, consequential=True, grades=True)
    def delete_grade_score(self, score_id: UUID) -> DeletedRow:
        """Delete a score. Gone at once; for 30 days the member can undo it on this site's page /activity. Confirm with
        the member first.

        Remove one result. The member can restore it in Activity for 30 days.
        """
        return scores.delete_grade_score(self.access, score_id)

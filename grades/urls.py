"""Routes of grades."""

from django.urls import path

from grades.views import GradeViewSet

urlpatterns = [
    path("courses/<course_id>/grades", GradeViewSet.as_view({"get": "get_grades"})),
    path(
        "courses/<course_id>/grade-categories",
        GradeViewSet.as_view({"put": "set_grade_categories"}),
    ),
    path("courses/<course_id>/grade-scores", GradeViewSet.as_view({"post": "add_grade_score"})),
    path(
        "grade-scores/<score_id>", GradeViewSet.as_view({"patch": "update_grade_score", "delete": "delete_grade_score"})
    ),
]

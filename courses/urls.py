"""Routes of courses, their syllabi and items."""

from django.urls import path

from courses.views import CourseViewSet, ItemViewSet, SyllabusViewSet

urlpatterns = [
    path("courses", CourseViewSet.as_view({"get": "list_courses", "post": "create_course"})),
    path(
        "courses/<course_id>",
        CourseViewSet.as_view({"get": "get_course", "patch": "update_course", "delete": "delete_course"}),
    ),
    path("courses/<course_id>/items", ItemViewSet.as_view({"post": "create_item"})),
    path("courses/<course_id>/syllabi", SyllabusViewSet.as_view({"get": "list_syllabi"})),
    path("syllabi", SyllabusViewSet.as_view({"post": "create_syllabus"})),
    path("syllabi/<syllabus_id>", SyllabusViewSet.as_view({"get": "get_syllabus", "delete": "delete_syllabus"})),
    path("syllabi/<syllabus_id>/file", SyllabusViewSet.as_view({"get": "get_syllabus_file"})),
    path("items", ItemViewSet.as_view({"get": "list_items"})),
]

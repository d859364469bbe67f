"""Routes of courses and items."""

from django.urls import path

from courses.views import CourseViewSet, ItemViewSet

urlpatterns = [
    path("courses", CourseViewSet.as_view({"get": "list_courses", "post": "create_course"})),
    path(
        "courses/<course_id>",
        CourseViewSet.as_view({"get": "get_course", "patch": "update_course", "delete": "delete_course"}),
    ),
    path("courses/<course_id>/items", ItemViewSet.as_view({"post": "create_item"})),
    path("items", ItemViewSet.as_view({"get": "list_items"})),
    path(
        "items/<item_id>",
        ItemViewSet.as_view({"get": "get_item", "patch": "update_item", "delete": "delete_item"}),
    ),
]

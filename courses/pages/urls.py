"""Addresses of the pages about courses."""

from django.urls import path

from courses.pages.courses import course_list, course_page, delete_course, delete_item, new_course_by_hand

urlpatterns = [
    path("courses", course_list, name="courses"),
    path("courses/new/by-hand", new_course_by_hand, name="new-course-by-hand"),
    path("courses/<uuid:course_id>", course_page, name="course"),
    path("courses/<uuid:course_id>/delete", delete_course, name="delete-course"),
    path("courses/<uuid:course_id>/items/<uuid:item_id>/delete", delete_item, name="delete-item"),
]

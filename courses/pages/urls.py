"""URLs of the pages about courses."""

from django.urls import path

from courses.pages.courses import (
    archive_course,
    change_course,
    course_list,
    delete_course,
    delete_file,
    delete_item,
    dismiss_assistant,
    new_course_by_hand,
    syllabus_file,
)
from courses.pages.syllabi import review_syllabus, send_syllabus

urlpatterns = [
    path("courses", course_list, name="courses"),
    path("courses/new", send_syllabus, name="new-course"),
    path("courses/new/<uuid:syllabus_id>", review_syllabus, name="review-syllabus"),
    path("courses/new/by-hand", new_course_by_hand, name="new-course-by-hand"),
    path("courses/dismiss-assistant", dismiss_assistant, name="dismiss-assistant"),
    path("courses/<uuid:course_id>/syllabus", send_syllabus, name="new-syllabus"),
    path("courses/<uuid:course_id>/syllabus/<uuid:syllabus_id>", review_syllabus, name="review-new-syllabus"),
    path("courses/<uuid:course_id>/files/<uuid:syllabus_id>", syllabus_file, name="syllabus-file"),
    path("courses/<uuid:course_id>/files/<uuid:syllabus_id>/delete", delete_file, name="delete-file"),
    path("courses/<uuid:course_id>/change", change_course, name="change-course"),
    path("courses/<uuid:course_id>/end", archive_course, {"archived": True}, name="end-course"),
    path("courses/<uuid:course_id>/reopen", archive_course, {"archived": False}, name="reopen-course"),
    path("courses/<uuid:course_id>/delete", delete_course, name="delete-course"),
    path("courses/<uuid:course_id>/items/<uuid:item_id>/delete", delete_item, name="delete-item"),
]

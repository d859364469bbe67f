"""URLs of the pages about courses."""

from django.urls import path

from courses.pages.courses import change_course, course_list, delete_course, delete_item, new_course_by_hand
from courses.pages.files import delete_file, syllabus_file
from courses.pages.first_steps import dismiss_assistant
from courses.pages.new_course import new_course, review_syllabus
from courses.pages.syllabus_version import new_syllabus, review_new_syllabus

urlpatterns = [
    path("courses", course_list, name="courses"),
    path("courses/new", new_course, name="new-course"),
    path("courses/new/<uuid:syllabus_id>", review_syllabus, name="review-syllabus"),
    path("courses/new/by-hand", new_course_by_hand, name="new-course-by-hand"),
    path("courses/dismiss-assistant", dismiss_assistant, name="dismiss-assistant"),
    path("courses/<uuid:course_id>/syllabus", new_syllabus, name="new-syllabus"),
    path("courses/<uuid:course_id>/syllabus/<uuid:syllabus_id>", review_new_syllabus, name="review-new-syllabus"),
    path("courses/<uuid:course_id>/files/<uuid:syllabus_id>", syllabus_file, name="syllabus-file"),
    path("courses/<uuid:course_id>/files/<uuid:syllabus_id>/delete", delete_file, name="delete-file"),
    path("courses/<uuid:course_id>/change", change_course, name="change-course"),
    path("courses/<uuid:course_id>/delete", delete_course, name="delete-course"),
    path("courses/<uuid:course_id>/items/<uuid:item_id>/delete", delete_item, name="delete-item"),
]

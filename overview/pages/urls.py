"""URLs of the pages of a course and of an item."""

from django.urls import path

from overview.pages.categories import grade_categories
from overview.pages.course import add_item, add_score, course_page, delete_score
from overview.pages.item import add_milestone, change_milestone, delete_milestone, item_page
from overview.pages.item_categories import item_categories

urlpatterns = [
    path("courses/<uuid:course_id>", course_page, name="course"),
    path("courses/<uuid:course_id>/items", add_item, name="add-item"),
    path("courses/<uuid:course_id>/items/categories", item_categories, name="item-categories"),
    path("courses/<uuid:course_id>/scores", add_score, name="add-score"),
    path("courses/<uuid:course_id>/categories", grade_categories, name="grade-categories"),
    path("scores/<uuid:score_id>/delete", delete_score, name="delete-score"),
    path("items/<uuid:item_id>", item_page, name="item"),
    path("items/<uuid:item_id>/milestones", add_milestone, name="add-milestone"),
    path("milestones/<uuid:milestone_id>", change_milestone, name="milestone"),
    path("milestones/<uuid:milestone_id>/delete", delete_milestone, name="delete-milestone"),
]

"""The limits of grade categories and scores."""

from accounts.members.limits import Limit
from courses.entry_serializers import MAX_CATEGORIES

CATEGORIES_OF_COURSE = Limit(
    most=MAX_CATEGORIES,
    what="grade categories of a course",
    full="There are {most} grade categories in this course, the most there can be. Delete one first.",
    per="course",
)

SCORES_OF_COURSE = Limit(
    most=500,
    what="scores of a course",
    full="There are {most} scores in this course, the most there can be. Delete one first.",
    per="category__course",
)

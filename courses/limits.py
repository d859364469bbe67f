"""The limits of courses, their files and their items."""

from accounts.members.limits import Limit

COURSES = Limit(most=30, what="courses", full="There are {most} courses, the most there can be. Delete one first.")

FILES_OF_COURSE = Limit(
    most=10,
    what="files of a course",
    full="The course has {most} files, the most there can be. Delete one first.",
    per="course",
)

ITEMS_OF_MEMBER = Limit(
    most=5000,
    what="items",
    full="There are {most} items in all courses together, the most there can be. Delete one first.",
)
"""It bounds what get_agenda can answer."""

ITEMS_OF_COURSE = Limit(
    most=1000,
    what="items of a course",
    full="There are {most} items in this course, the most there can be. Delete one first.",
    per="course",
    counter="item_count",
)

"""404 errors."""

from studyservice.operations.errors import NotFound


class NoSuchCourse(NotFound):
    """The member has no such course."""

    default_message = "There is no such course. list_courses gives the ids."


class NoSuchItem(NotFound):
    """The member has no such item."""

    default_message = "There is no such item. list_items gives the ids."


class NoSuchSyllabus(NotFound):
    """The member has no such file of a syllabus, or it has expired."""

    default_message = (
        "There is no such syllabus. One that is attached to no course within 24 hours is deleted; upload it again."
    )

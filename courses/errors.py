"""What is not there, each said in one way."""

from studyservice.operations.errors import NotFound


class NoSuchCourse(NotFound):
    """The member has no such course."""

    default_message = "There is no such course. list_courses gives the ids."


class NoSuchItem(NotFound):
    """The member has no such item."""

    default_message = "There is no such item. list_items gives the ids."

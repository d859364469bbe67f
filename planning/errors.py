"""404 errors."""

from studyservice.operations.errors import NotFound


class NoSuchMilestone(NotFound):
    """The member has no such milestone."""

    default_message = "There is no such milestone. list_milestones gives the ids."

"""Django's PostgreSQL backend with a health check that costs no round trip."""

import select

from django.db.backends.postgresql import base


class DatabaseWrapper(base.DatabaseWrapper):
    """Checks a kept connection, before its first use in a request, by looking at its socket.

    An idle connection has nothing to read. One that the server closed reads its end, and one with a notice pending
    is asked the long way (`SELECT 1`). Django asks the long way always: a round trip on every request.
    """

    def is_usable(self) -> bool:
        """Whether the connection can be used; Django replaces it if not."""
        if self.connection is None or self.connection.closed:
            return False
        poll = select.poll()
        poll.register(self.connection.fileno(), select.POLLIN)
        return not poll.poll(0) or super().is_usable()

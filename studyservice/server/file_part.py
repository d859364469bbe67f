"""A file as a part of an answer."""

import os
import socket

_STEP_BYTES = 256 * 1024


class FilePart:
    """Bytes of an open file that are left to send; they are not read before the socket takes them.

    Args:
        fileno: becomes this one's own, and is closed here.
    """

    def __init__(self, fileno: int, offset: int, count: int) -> None:
        self._fileno = fileno
        self._offset = offset
        self.left = count

    def send(self, client: socket.socket) -> int:
        """Send what the socket takes of a step, and gives how much that was.

        Raises:
            BlockingIOError: it takes nothing now.
            OSError: the client is gone, or the file is shorter than it was.
        """
        sent = os.sendfile(client.fileno(), self._fileno, self._offset, min(self.left, _STEP_BYTES))
        if sent == 0:
            raise OSError("The file is shorter than it was.")
        self._offset += sent
        self.left -= sent
        return sent

    def close(self) -> None:
        os.close(self._fileno)

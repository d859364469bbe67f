"""A client's socket for a thread that must not wait for the client."""

import errno
import fcntl
import os
import select
import socket
import struct
import termios
import time
from collections import deque
from itertools import islice
from typing import IO

from studyservice.server.file_part import FilePart
from studyservice.server.pace import Pace

SEND_AT_ONCE_BYTES = 64 * 1024
"""So much of an answer is gathered before it goes to the socket; a short one goes, head and body, in one piece."""

MAX_HEAD_BYTES = 64 * 1024
"""How much of a head is kept while its end has not come."""

MAX_REQUEST_BYTES = 9 * 1024 * 1024
"""How much of one request is kept, so that it can be begun again: the largest JSON that the API accepts, with its head.

Only an upload may be longer; for the rest of that a thread waits.
"""

_MOST_PARTS = 64
"""Parts of an answer that one call hands to the kernel, which takes 1,024 (IOV_MAX)."""

_END_OF_HEAD = b"\r\n\r\n"
_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


class BodyAwaited(BaseException):
    """More of a body is needed than has arrived.

    It unwinds the request, through everything that handles an `Exception`, so that the thread is free: the request is
    answered from its beginning again when its body is there.
    """


class Channel:
    """What has arrived and was not read yet, and what is to be sent and did not fit into the socket.

    It stands where gunicorn expects a socket. A thread and the main loop use it in turn, never at the same time.

    Attributes:
        ended: nothing more will come: the client closed its side, or is waited for no longer.
        sent: bytes of answers that the kernel has taken.
        received: bytes that have come.
        continue_due: the client waits for `100 Continue` before it sends its body.
    """

    def __init__(self, client: socket.socket) -> None:
        client.setblocking(False)
        self._socket = client
        self._arrived = bytearray()
        self._read = bytearray()
        self._unsent: deque[memoryview | FilePart] = deque()
        self._unsent_bytes = 0
        self._unsent_in_files = 0
        self._searched = 0
        self._pace: Pace | None = None
        self._before = 0
        self.ended = False
        self.sent = 0
        self.received = 0
        self.continue_due = False

    # The main loop's side.

    def fileno(self) -> int:
        return self._socket.fileno()

    def fill(self, most: int) -> bytes:
        """Take what has come, up to `most` bytes; `ended` tells its end.

        Raises:
            BlockingIOError: nothing has come.
        """
        try:
            data = self._socket.recv(most)
        except BlockingIOError:
            raise
        except OSError:  # reset by the client
            data = b""
        if data:
            self._arrived += data
            self.received += len(data)
        else:
            self.ended = True
        return data

    def has_head(self) -> bool:
        """Whether a whole head has come."""
        if self._arrived.find(_END_OF_HEAD, max(0, self._searched - 3)) >= 0:
            return True
        self._searched = len(self._arrived)
        return False

    def arrived(self) -> bytes:
        """What has come and was not read."""
        return bytes(self._arrived)

    def held(self) -> int:
        """Bytes that this process keeps for the client in memory."""
        return len(self._arrived) + self._unsent_bytes - self._unsent_in_files

    def has_unsent(self) -> bool:
        """Whether some of an answer is left to send."""
        return bool(self._unsent)

    def unsent(self) -> int:
        """Bytes of answers that are left to send."""
        return self._unsent_bytes

    def delivered(self) -> int:
        """Bytes of answers that have reached the client, where the system tells (Linux); else those sent."""
        try:
            waiting = fcntl.ioctl(self._socket, termios.TIOCOUTQ, b"\0" * 4)
        except OSError:
            return self.sent
        return self.sent - int(struct.unpack("i", waiting)[0])

    def flush(self) -> None:
        """Send what the socket takes now.

        Raises:
            OSError: the client is gone.
        """
        while self._unsent:
            first = self._unsent[0]
            try:
                taken = self._sent_of_file(first) if isinstance(first, FilePart) else self._sent_of_memory()
            except BlockingIOError:
                return
            self.sent += taken
            self._unsent_bytes -= taken

    def hang_up(self) -> None:
        """Close the connection, and the files of which something was left to send."""
        for part in self._unsent:
            if isinstance(part, FilePart):
                part.close()
        self._unsent.clear()
        self._socket.close()

    def _sent_of_memory(self) -> int:
        """Send what comes before the next file, in one piece."""
        parts: list[memoryview] = []
        for part in islice(self._unsent, _MOST_PARTS):
            if isinstance(part, FilePart):
                break
            parts.append(part)
        taken = self._socket.sendmsg(parts)
        left = taken
        for part in parts:
            if left < len(part):
                self._unsent[0] = part[left:]
                break
            left -= len(part)
            self._unsent.popleft()
        return taken

    def _sent_of_file(self, part: FilePart) -> int:
        sent = part.send(self._socket)
        self._unsent_in_files -= sent
        if part.left == 0:
            self._unsent.popleft()
            part.close()
        return sent

    def discard(self, most: int) -> int:
        """Read and forget up to `most` bytes; gives how many, 0 at the end.

        Raises:
            OSError: nothing has come, or the client is gone.
        """
        return len(self._socket.recv(most))

    def end_answers(self) -> None:
        """Tell the client that nothing more will be sent.

        Raises:
            OSError: the client is gone.
        """
        self._socket.shutdown(socket.SHUT_WR)

    # The thread's side: what gunicorn does with a socket.

    def recv(self, size: int) -> bytes:
        """What has arrived, at most `size` bytes; nothing at the end.

        Raises:
            BodyAwaited: nothing has.
            TimeoutError: the rest of an upload comes too slowly.
        """
        if not self._arrived and not self.ended:
            try:
                self.fill(size)
            except BlockingIOError:
                if len(self._read) < MAX_REQUEST_BYTES:
                    self._ask_for_body()
                    raise BodyAwaited from None
                self._wait()
                self.fill(size)
        data = bytes(self._arrived[:size])
        del self._arrived[:size]
        if len(self._read) < MAX_REQUEST_BYTES:
            self._read += data
        return data

    def sendall(self, data: bytes) -> None:
        """Keep `data` until it is flushed; send what is kept when it is much.

        Raises:
            OSError: the client is gone.
        """
        if data:
            self._unsent.append(memoryview(data))
            self._unsent_bytes += len(data)
            if self._unsent_bytes >= SEND_AT_ONCE_BYTES:
                self.flush()

    def sendfile(self, file: IO[bytes], offset: int = 0, count: int | None = None) -> None:
        """Send `count` bytes of `file`, or keep their place in it for the main loop; the file may be closed then.

        Raises:
            OSError: the client is gone.
        """
        if count is None:
            count = os.fstat(file.fileno()).st_size - offset
        if count > 0:
            self._unsent.append(FilePart(os.dup(file.fileno()), offset, count))
            self._unsent_bytes += count
            self._unsent_in_files += count
            self.flush()

    def setblocking(self, _flag: object) -> None:
        """It never blocks."""

    def shutdown(self, _how: object) -> None:
        """Gunicorn ends a connection whose answer broke off, with the thread; here the main loop ends all.

        Raises:
            OSError: always; gunicorn then goes on to `close`.
        """
        raise OSError(errno.ENOTSUP, "The main loop ends connections.")

    def close(self) -> None:
        """Leave it to the main loop to hang up: it still polls the socket, whose number must not become another's."""
        self.ended = True

    # Between requests.

    def finish(self, read_ahead: bytes) -> None:
        """The request was answered; `read_ahead` was read and belongs to the next."""
        self._arrived[:0] = read_ahead
        self._read = bytearray()
        self._searched = 0
        self._pace = None

    def rewind(self) -> None:
        """What was read of this request is to be read again."""
        self._arrived[:0] = self._read
        self._read = bytearray()
        self._searched = 0

    def request_bytes(self) -> int:
        """How much of this request was read."""
        return len(self._read)

    def head(self) -> bytes:
        """The head of this request with its empty line, or as much of it as there is."""
        known = self._read or self._arrived
        end = known.find(_END_OF_HEAD)
        return bytes(known[: end + len(_END_OF_HEAD) if end >= 0 else MAX_HEAD_BYTES])

    def _wait(self) -> None:
        if self._pace is None:
            self._pace, self._before = Pace(time.monotonic()), self.received
        readable = select.poll()
        readable.register(self._socket, select.POLLIN)
        while True:
            now = time.monotonic()
            self._pace.note(self.received - self._before, now)
            if self._pace.is_too_slow(now):
                raise TimeoutError("The rest of the upload comes too slowly.")
            if readable.poll(1000):
                return

    def _ask_for_body(self) -> None:
        if self.continue_due:
            self.continue_due = False
            self.sendall(_CONTINUE)
            self.flush()

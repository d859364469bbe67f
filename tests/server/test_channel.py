"""An upload that is longer than what is kept of a request, and an answer that is a file."""

import socket
import threading
from pathlib import Path

import pytest

from studyservice.server import pace
from studyservice.server.channel import MAX_REQUEST_BYTES, BodyAwaited, Channel

pytestmark = pytest.mark.database("sqlite", "sockets")


def read_through(channel: Channel, left: int) -> None:
    while left > 0:
        left -= len(channel.recv(min(left, 65_536)))


def test_the_rest_of_a_long_upload_is_waited_for() -> None:
    client, server = socket.socketpair()
    channel = Channel(server)
    with client, server:
        first = threading.Thread(target=client.sendall, args=(bytes(MAX_REQUEST_BYTES),))
        first.start()
        while channel.held() < MAX_REQUEST_BYTES:
            try:
                channel.fill(65_536)
            except BlockingIOError:
                continue
        first.join()
        read_through(channel, MAX_REQUEST_BYTES)
        later = threading.Timer(0.3, client.sendall, [b"the rest"])
        later.start()
        assert channel.recv(100) == b"the rest"
        later.join()


def test_the_rest_of_a_long_upload_that_stands_still_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "STILL_SECONDS", 1)
    client, server = socket.socketpair()
    channel = Channel(server)
    with client, server:
        with pytest.raises(BodyAwaited):
            channel.recv(1)
        first = threading.Thread(target=client.sendall, args=(bytes(MAX_REQUEST_BYTES),))
        first.start()
        while channel.held() < MAX_REQUEST_BYTES:
            try:
                channel.fill(65_536)
            except BlockingIOError:
                continue
        first.join()
        read_through(channel, MAX_REQUEST_BYTES)
        with pytest.raises(TimeoutError):
            channel.recv(1)


def test_a_file_is_read_as_its_client_takes_it(tmp_path: Path) -> None:
    """It is not in memory, may be closed and removed, and comes in its turn, between the bytes before and after it."""
    content = bytes(range(256)) * 40_000
    path = tmp_path / "file"
    path.write_bytes(content)
    client, server = socket.socketpair()
    client.settimeout(30)
    channel = Channel(server)
    with client:
        channel.sendall(b"before ")
        with path.open("rb") as file:
            channel.sendfile(file, 256, len(content) - 256)
        channel.sendall(b" after")
        path.unlink()
        assert channel.unsent() > 9_000_000
        assert channel.held() < 100
        found = b""
        while channel.has_unsent():
            found += client.recv(1_000_000)
            channel.flush()
        channel.hang_up()
        while rest := client.recv(1_000_000):
            found += rest
    assert found == b"before " + content[256:] + b" after"


def test_a_channel_that_ends_lets_its_file_go(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(bytes(9_000_000))
    client, server = socket.socketpair()
    channel = Channel(server)
    before = len(list(Path("/proc/self/fd").iterdir()))
    with client, (tmp_path / "file").open("rb") as file:
        channel.sendfile(file)
    channel.hang_up()
    assert len(list(Path("/proc/self/fd").iterdir())) == before - 2


def test_a_file_that_became_shorter_ends_its_connection(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"short")
    client, server = socket.socketpair()
    channel = Channel(server)
    with client, (tmp_path / "file").open("rb") as file, pytest.raises(OSError, match="shorter"):
        channel.sendfile(file, 0, 10)
    channel.hang_up()

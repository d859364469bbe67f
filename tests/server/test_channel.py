"""An upload that is longer than what is kept of a request; only operators may send one."""

import socket
import threading

import pytest

from studyservice.server import pace
from studyservice.server.channel import MAX_REQUEST_BYTES, BodyAwaited, Channel

pytestmark = pytest.mark.once("sockets")


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

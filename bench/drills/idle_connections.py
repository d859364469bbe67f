"""A thousand idle connections, while others are served."""

import http.client
import socket
import time

from bench.drills.client import Client
from bench.drills.report import Report
from bench.drills.site import Site

_IDLE = 1_000


def drill(site: Site) -> list[Report]:
    """Half of them have sent nothing yet, half have had an answer and are kept."""
    report = Report("idle connections")
    url, data, cast = site.fresh("sqlite")
    instance = site.serve(url, data)
    address = ("127.0.0.1", instance.port)
    silent = [site.stack.enter_context(socket.create_connection(address)) for _ in range(_IDLE // 2)]
    kept = [http.client.HTTPConnection(*address, timeout=30) for _ in range(_IDLE // 2)]
    for one in kept:
        site.stack.callback(one.close)
        one.request("GET", "/health")
        one.getresponse().read()
    times = []
    for subject in cast.members[:50]:
        started = time.monotonic()
        with Client(instance.port, subject.key) as client:
            report.improper += [] if client.call("GET", "/v1/me").ok else ["a call failed"]
        times.append(time.monotonic() - started)
    report.notes.append(f"with {_IDLE} idle connections a call takes {max(times):.2f} s at most")
    kept[0].request("GET", "/health")
    silent[0].sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
    report.check("a kept connection is used again", kept[0].getresponse().status == 200)
    silent[0].settimeout(10)
    report.check("a silent one speaks at last", silent[0].recv(64).startswith(b"HTTP/1.1 200"))
    return [report]

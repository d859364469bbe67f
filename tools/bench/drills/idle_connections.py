"""A thousand idle connections, while others are served."""

import http.client
import socket
from collections.abc import Iterator
from itertools import cycle

from tools.bench.drills.report import Report
from tools.bench.drills.watch import Watch
from tools.bench.site import Site

_IDLE = 1_000


def drill(site: Site) -> Iterator[Report]:
    """Half of them have sent nothing, the others have received an answer and stay open."""
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
    keys = cycle([subject.key for subject in cast.members[:50]])
    calls = Watch(instance.port, lambda client: client.get("/v1/me", next(keys)), pause=0, times=50, fresh=True).run()
    report.improper += [] if calls.only("200") else [calls.told()]
    report.notes.append(f"with {_IDLE} idle connections a call takes {calls.longest:.2f} s at most")
    kept[0].request("GET", "/health")
    silent[0].sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
    report.check("a kept connection can be reused", kept[0].getresponse().status == 200)
    silent[0].settimeout(10)
    report.check("a silent connection still gets its answer", silent[0].recv(64).startswith(b"HTTP/1.1 200"))
    yield report

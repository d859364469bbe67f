"""Run by `python -m tools.bench --profile ROW`: call a WSGI application in this process, without sockets."""

import cProfile
import io
import os
import pstats
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from wsgiref.types import WSGIApplication, WSGIEnvironment
from wsgiref.util import setup_testing_defaults

from gunicorn.util import import_app

from tools.bench import cast
from tools.bench.contestants import CONTESTANTS
from tools.bench.rows import ROWS, Call

_TOP = 45


def environ(call: Call, subject: cast.Subject) -> WSGIEnvironment:
    """Return the WSGI environment of `call`."""
    parts = urlsplit(call.path)
    made: WSGIEnvironment = {"REQUEST_METHOD": call.method, "PATH_INFO": unquote(parts.path)}
    made |= {"QUERY_STRING": parts.query, "SERVER_PROTOCOL": "HTTP/1.1", "REMOTE_ADDR": "127.0.0.1"}
    made |= {"wsgi.input": io.BytesIO(call.body), "wsgi.errors": sys.stderr, "wsgi.multithread": True}
    for name, value in call.headers_for(subject).items():
        key = name.upper().replace("-", "_")
        made[key if key in {"CONTENT_TYPE", "CONTENT_LENGTH"} else f"HTTP_{key}"] = value
    setup_testing_defaults(made)
    return made


def calls_of(application: WSGIApplication, environs: list[WSGIEnvironment]) -> None:
    """Answer each request like a server. Raises `RuntimeError` if an answer is not a success."""
    for one in environs:
        answer = application(one, _start_response)
        b"".join(answer)
        if hasattr(answer, "close"):
            answer.close()


def _start_response(status: str, _headers: object, _exc_info: object = None) -> Callable[[bytes], object]:
    if not status.startswith("2"):
        raise RuntimeError(f"answered {status}")
    return io.BytesIO().write


def main() -> None:
    """Time the calls, then profile them."""
    _, row_name, contestant, number, cast_file = sys.argv
    count = int(number)
    application: WSGIApplication = import_app(CONTESTANTS[contestant].application)
    row = next(row for row in ROWS if row.name == row_name)
    calls = row.calls(cast.load(Path(cast_file)), contestant)
    ahead = iter(calls) if row.once else cycle(calls)

    def prepared(number: int) -> list[WSGIEnvironment]:
        return [environ(call, subject) for call, subject in islice(ahead, number)]

    with _silenced():
        calls_of(application, prepared(200))
        single = [_timed(application, one) for one in prepared(count)]
        ready = prepared(count)
        profile = cProfile.Profile(time.thread_time)  # excludes waiting for PostgreSQL
        profile.enable()
        calls_of(application, ready)
        profile.disable()
    print(f"{row.name}, {contestant}: {count} calls in process, without a profiler, µs a call")
    for name, times in zip(("wall clock", "CPU of this process"), zip(*single, strict=True), strict=True):
        ranked = sorted(times)
        low, middle = (ranked[int(count * share)] * 1e6 for share in (0.05, 0.5))
        print(f"  {name}: {low:.0f} undisturbed (5th percentile), {middle:.0f} median")
    print()
    _print(profile, count)


def _timed(application: WSGIApplication, one: WSGIEnvironment) -> tuple[float, float]:
    """Return seconds of wall clock and of CPU."""
    wall, cpu = time.perf_counter(), time.process_time()
    calls_of(application, [one])
    return time.perf_counter() - wall, time.process_time() - cpu


@contextmanager
def _silenced() -> Iterator[None]:
    """Write log lines to /dev/null."""
    kept = os.dup(2)
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        sys.stderr.flush()
        os.dup2(kept, 2)
        os.close(kept)


def _print(profile: cProfile.Profile, calls: int) -> None:
    """Print packages and functions by their own time. The profiler exaggerates the cost of small functions."""
    stats: Any = pstats.Stats(profile)
    packages: Counter[str] = Counter()
    for (path, _, _), (_, _, own, _, callers) in stats.stats.items():
        for caller, seconds in [(one[0], times[2]) for one, times in callers.items()] if path == "~" else [(path, own)]:
            packages[_package(caller)] += seconds  # the time of a built-in function counts for its callers
    print(f"CPU under cProfile, {packages.total() * 1e6 / calls:.0f} µs a call. By package, own µs and built-ins:\n")
    for package, seconds in packages.most_common(16):
        print(f"{seconds * 1e6 / calls:7.1f}  {package}")
    stats.strip_dirs().sort_stats("tottime").print_stats(_TOP)


def _package(path: str) -> str:
    parts = Path(path.rpartition("site-packages/")[2].replace(f"{Path.cwd()}/", "")).parts
    if parts[0] == "/":
        return "Python's library"
    return "/".join(parts[:2]) if parts[0] in {"django", "studyservice"} else parts[0]


if __name__ == "__main__":
    main()

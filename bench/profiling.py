"""Where the time of one row goes: the WSGI application called in this process, without sockets.

Run as `python -m bench.profiling` in the environment of a contestant; `python -m bench --profile ROW` does that.
"""

import argparse
import cProfile
import io
import os
import pstats
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from itertools import cycle, islice
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from wsgiref.types import WSGIApplication, WSGIEnvironment
from wsgiref.util import setup_testing_defaults

from bench import cast
from bench.contestants import CONTESTANTS
from bench.rows import ROWS, Call


def environ(call: Call, subject: cast.Subject) -> WSGIEnvironment:
    """The WSGI environment that a server would make of `call`."""
    parts = urlsplit(call.path)
    made: WSGIEnvironment = {
        "REQUEST_METHOD": call.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote(parts.path),
        "QUERY_STRING": parts.query,
        "SERVER_PORT": "8000",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "127.0.0.1",
        "wsgi.input": io.BytesIO(call.body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
    }
    for name, value in call.headers_for(subject).items():
        key = name.upper().replace("-", "_")
        made[key if key in {"CONTENT_TYPE", "CONTENT_LENGTH"} else f"HTTP_{key}"] = value
    setup_testing_defaults(made)
    return made


def calls_of(application: WSGIApplication, environs: list[WSGIEnvironment]) -> None:
    """Answer each request as a server would.

    Raises:
        RuntimeError: an answer is no success.
    """
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
    parser = argparse.ArgumentParser()
    parser.add_argument("row")
    parser.add_argument("contestant")
    parser.add_argument("calls", type=int)
    parser.add_argument("cast", type=Path)
    parser.add_argument("--top", type=int, default=45)
    options = parser.parse_args()
    application = import_module(CONTESTANTS[options.contestant].application).application
    row = next(row for row in ROWS if row.name == options.row)
    calls = row.calls(cast.load(options.cast), options.contestant)
    ahead = iter(calls) if row.once else cycle(calls)

    def prepared(number: int) -> list[WSGIEnvironment]:
        return [environ(call, subject) for call, subject in islice(ahead, number)]

    with _silenced():
        calls_of(application, prepared(200))
        single = [_timed(application, one) for one in prepared(options.calls)]
        ready = prepared(options.calls)
        profile = cProfile.Profile(time.thread_time)  # waiting for PostgreSQL is no work
        profile.enable()
        calls_of(application, ready)
        profile.disable()
    print(f"{row.name}, {options.contestant}: {options.calls} calls in process, without a profiler, µs a call")
    for name, times in zip(("wall clock", "CPU of this process"), zip(*single, strict=True), strict=True):
        ranked = sorted(times)
        print(f"  {name}: {_micros(ranked, 0.05)} undisturbed (5th percentile), {_micros(ranked, 0.5)} median")
    print()
    _print(profile, options.calls, options.top)


def _micros(ranked: list[float], share: float) -> str:
    return f"{ranked[int(len(ranked) * share)] * 1e6:.0f}"


def _timed(application: WSGIApplication, one: WSGIEnvironment) -> tuple[float, float]:
    """Seconds of wall clock and of CPU."""
    wall, cpu = time.perf_counter(), time.process_time()
    calls_of(application, [one])
    return time.perf_counter() - wall, time.process_time() - cpu


@contextmanager
def _silenced() -> Iterator[None]:
    """Log lines are made and written, but to nowhere."""
    kept = os.dup(2)
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        sys.stderr.flush()
        os.dup2(kept, 2)
        os.close(kept)


def _print(profile: cProfile.Profile, calls: int, top: int) -> None:
    """Packages and functions by their own time; the profiler makes small functions look dearer than they are."""
    stats: Any = pstats.Stats(profile)
    each = 1e6 / calls
    packages: Counter[str] = Counter()
    for (path, _, _), (_, _, own, _, callers) in stats.stats.items():
        if path == "~":  # built in: its time is its callers'
            for (caller, _, _), (_, _, part, _) in callers.items():
                packages[_package(caller)] += part
        else:
            packages[_package(path)] += own
    print(f"CPU under cProfile, {packages.total() * each:.0f} µs a call. By package, own µs and what is built in:\n")
    for package, seconds in packages.most_common(16):
        print(f"{seconds * each:7.1f}  {package}")
    print("\nown µs  with callees  calls  function")
    ranked = sorted(stats.stats.items(), key=lambda entry: -entry[1][2])
    for (path, line, name), (_, count, own, together, _) in ranked[:top]:
        place = f"{_place(path)}:{line} " if line else ""
        print(f"{own * each:6.1f}  {together * each:12.1f}  {count / calls:5.1f}  {place}{name}")


def _place(path: str) -> str:
    return path.rpartition("site-packages/")[2].replace(f"{Path.cwd()}/", "")


def _package(path: str) -> str:
    parts = Path(_place(path)).parts
    if parts[0] == "/":
        return "Python's library"
    return "/".join(parts[:2]) if parts[0] in {"django", "studyservice"} else parts[0]


if __name__ == "__main__":
    main()

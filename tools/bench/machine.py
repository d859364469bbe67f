"""Cores, CPU time and memory of processes, and a description of the machine. It reads /proc, so it needs Linux."""

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_TICK = os.sysconf("SC_CLK_TCK")
_MIB = 1024 * 1024


def split_cores() -> tuple[set[int], set[int]]:
    """Return the core for servers, and the others for PostgreSQL and the load generator.

    With a single core they are the same, and the load generator distorts the figures.
    """
    cores = sorted(os.sched_getaffinity(0))
    return {cores[0]}, set(cores[1:]) or {cores[0]}


@contextmanager
def running_on(cores: set[int]) -> Iterator[None]:
    """Run on `cores`. Processes started in the block inherit them."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process since its start, user and system, all threads."""
    return sum(_times(pid)[:2])


def family_cpu_seconds(pid: int) -> float:
    """Return the CPU time of a process and its children, living or ended."""
    of_children = 0.0
    for child in children(pid):
        try:
            of_children += cpu_seconds(child)
        except (FileNotFoundError, ProcessLookupError):
            continue  # it has ended, and its time counts with its parent
    return sum(_times(pid)) + of_children


def _times(pid: int) -> tuple[float, ...]:
    """Return utime, stime, cutime and cstime (proc_pid_stat(5)) in seconds."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return tuple(int(value) / _TICK for value in fields[11:15])


def children(pid: int) -> list[int]:
    """Return the children of a process."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def ended(pid: int) -> bool:
    """Return whether a process has ended, or is a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def resident_mib(pid: int) -> float:
    """Return the resident memory of a process, in MiB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / _MIB


def reset_peak(pid: int) -> None:
    """Restart the measurement of `peak_mib` (proc_pid_clear_refs(5))."""
    Path(f"/proc/{pid}/clear_refs").write_text("5")


def peak_mib(pid: int) -> float:
    """Return the peak resident memory of a process since its start or the last reset, in MiB (`VmHWM`)."""
    [line] = [line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmHWM:")]
    return int(line.split()[1]) / 1024


def describe() -> str:
    """Return processor, cores, memory, kernel and Python."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 1024**3
    return (
        f"{_processor()}, {os.cpu_count()} cores, {memory:.0f} GiB; "
        f"{platform.system()} {platform.release()}; Python {platform.python_version()}"
    )


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()

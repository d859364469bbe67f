"""Databases that stop, hang, fail over or run out of disk while clients write. The service is not restarted."""

import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from functools import partial
from itertools import count

from tools.bench import machine
from tools.bench.drills.client import Client, HttpAnswer
from tools.bench.drills.load import Journal, Load
from tools.bench.drills.report import Report, compare, execute, row_lock
from tools.bench.drills.watch import Ask, Watch, health, items, kinds, me, together
from tools.bench.servers import THREADS, Server, wait_until
from tools.bench.site import Site

_DOWN_SECONDS = 1.5


def restarted(site: Site) -> Iterator[Report]:
    """Run each way once."""
    for how, fault in (("stopped", site.postgres.stop), ("killed", site.postgres.kill)):
        report = Report(f"PostgreSQL {how}")
        url, data, cast = site.fresh("postgresql")
        instance = site.serve(url, data)
        with Load(instance.port, cast.members) as load:
            load.goes_on(0)
            fault()
            time.sleep(_DOWN_SECONDS)
            report.check("meanwhile /health is 503", health(Client(instance.port)).status == 503)
            site.postgres.start()
            started = time.monotonic()
            load.goes_on(started)
        compare(report, load.journal, url, started)
        report.check("afterwards /health is 200", health(Client(instance.port)).status == 200)
        yield report


_LOCKED_SECONDS = 12
_FROZEN_SECONDS = 25
"""Seconds, longer than any call may take."""

_MEMORY_MIB = 250
_STEADY = 50
"""Number of successful writes after the fault."""

_FAULT = {"500 (Retry-After: 1)"}


def stuck(site: Site) -> Iterator[Report]:
    """Run one after the other."""
    yield _locked(site)
    yield _frozen(site)


def _locked(site: Site) -> Report:
    """Lock a member's row in another transaction, while more clients write for the member than there are threads."""
    report = Report("a member's row locked")
    url, data, cast = site.fresh("postgresql")
    instance = site.serve(url, data)
    journal, owners = Journal(), cast.heavy[: 2 * THREADS]
    for one in (*owners, cast.members[0]):
        # then the service has cached the member of each key, as for every active client
        me(Client(instance.port, one.key))
    write, beside = _writing(journal, cast.heavy[0].courses[0]), partial(len, journal.failed_at)
    watches = {
        "/health": Watch(instance.port, health, beside=beside),
        "another's reads": Watch(instance.port, items, cast.members[0].key, pause=0.5, beside=beside),
    }
    writes = [Watch(instance.port, write, one.key) for one in owners]
    with together(writes):
        with row_lock(url), together(watches.values()):
            time.sleep(_LOCKED_SECONDS)
        unlocked = time.monotonic()
        wait_until("writes that succeed", lambda: sum(at > unlocked for at in journal.succeeded_at) >= _STEADY)
    compare(report, journal, url, unlocked)
    answers = sum((watch.answers for watch in writes), Counter())
    report.check(f"the member's writes: {kinds(answers)}", _FAULT < set(answers) <= _FAULT | {"201"})
    for what, watch in watches.items():
        waited = sum(map(bool, watch.passed))
        alone = watch.only("200") and 2 * waited < len(watch.passed)
        report.check(f"{what}: {watch.told()}; {waited} waited until a write failed", alone)
    _check_memory(report, instance)
    return report


def _writing(journal: Journal, course: str) -> Ask:
    """Return a function that writes items like `Load`, and records in `journal`."""
    numbers = count(1)

    def write(client: Client) -> HttpAnswer:
        number = next(numbers)
        journal.unknown.add(number)
        answer = client.call("POST", f"/v1/courses/{course}/items", {"title": f"drill {number}", "kind": "quiz"})
        if answer.ok:
            journal.unknown.discard(number)
            journal.acknowledged.add(number)
        (journal.succeeded_at if answer.ok else journal.failed_at).append(time.monotonic())
        return answer

    return write


def _frozen(site: Site) -> Report:
    """SIGSTOP every process of PostgreSQL. The kernel still accepts connections and acknowledges data."""
    report = Report("PostgreSQL frozen")
    site = site.apart("frozen")
    url, data, cast = site.fresh("postgresql")
    instance = site.serve(url, data)
    reads = Watch(instance.port, items, cast.members[-1].key, pause=0.5)
    with Load(instance.port, cast.members[:-1]) as load:
        time.sleep(1.5)
        with ExitStack() as watches:  # the calls end after PostgreSQL resumes
            with site.postgres.frozen():
                asked = watches.enter_context(Watch(instance.port, health))
                watches.enter_context(reads)
                time.sleep(_FROZEN_SECONDS)
                told, only = asked.told(), asked.only("503")
            thawed = time.monotonic()
            load.goes_on(thawed)
    compare(report, load.journal, url, thawed)
    report.check(f"/health: {told}", only)
    report.check(f"reads: {reads.told()}", _FAULT <= set(reads.answers) <= _FAULT | {"200"})
    with Client(instance.port, cast.members[0].key) as client:
        report.check("afterwards /health is 200", health(client).status == 200)
        report.check("afterwards a call is answered", items(client).ok)
    _check_memory(report, instance)
    return report


def _check_memory(report: Report, instance: Server) -> None:
    resident = machine.resident_mib(instance.worker)
    report.check(f"{resident:.0f} MiB resident at the end", resident < _MEMORY_MIB)


def failover(site: Site) -> Iterator[Report]:
    """Commits wait for the standby (`synchronous_standby_names`), so none is lost with the primary."""
    report = Report("failover to a standby")
    site = site.apart("failover")
    url, data, cast = site.fresh("postgresql")
    primary, standby = site.postgres, site.directory / "standby"
    standby.mkdir()
    if primary.user:
        standby.chmod(0o777)  # for PostgreSQL's user
    copy = ("-D", f"{standby}/data", "--write-recovery-conf", "--checkpoint=fast")
    primary.run("pg_basebackup", "-h", primary.host, "-U", "postgres", *copy)
    control = ("pg_ctl", "-w", "-D", f"{standby}/data")
    primary.run(*control, "-l", f"{standby}/log", "-o", f"-h '' -k {standby}", "start")
    site.stack.callback(primary.run, *control, "-m", "fast", "stop")
    execute(url, "ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()")
    base, hosts = url.partition("?")[0], f"host={primary.host},{standby}&target_session_attrs=read-write"
    instance = site.serve(f"{base}?{hosts}", data)
    with Load(instance.port, cast.members) as load:
        load.goes_on(0)
        primary.kill()
        time.sleep(0.5)
        primary.run(*control, "promote")
        promoted = time.monotonic()
        load.goes_on(promoted)
    compare(report, load.journal, f"{base}?host={standby}", promoted)
    yield report


def disk_full(site: Site) -> Iterator[Report]:
    """Fill the disk, wait, and free it."""
    report = Report("disk full, SQLite")
    disk = site.directory / "small-disk"
    disk.mkdir()
    try:
        _run("mount", "-t", "tmpfs", "-o", "size=24m", "studyservice-drill", str(disk))
    except (OSError, subprocess.CalledProcessError):
        report.not_run = "mounting a tmpfs was refused"
        yield report
        return
    site.stack.callback(_run, "umount", str(disk))
    url, data, cast = site.fresh("sqlite", disk / "data")
    instance, ballast = site.serve(url, data), disk / "ballast"
    with Load(instance.port, cast.members) as load:
        time.sleep(1)
        with ballast.open("wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(b"\0" * 4096)  # to the last byte
        time.sleep(3)
        read = items(Client(instance.port, cast.heavy[0].key))
        report.check(f"reads still work: {read.status}", read.status == 200)
        ballast.unlink()
        freed = time.monotonic()
        load.goes_on(freed)
    compare(report, load.journal, url, freed)
    report.check("writes failed with internal_error", report.errors["500 internal_error"])
    yield report


def _run(program: str, *arguments: str) -> None:
    subprocess.run([shutil.which(program) or program, *arguments], capture_output=True, check=True)

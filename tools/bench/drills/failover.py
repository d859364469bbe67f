"""Kill the primary under load and promote a standby. DATABASE_URL names both, and the service is not restarted."""

import time
from collections.abc import Iterator

from tools.bench.drills.load import Load
from tools.bench.drills.report import Report
from tools.bench.drills.stored import compare, execute
from tools.bench.site import Site


def drill(site: Site) -> Iterator[Report]:
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

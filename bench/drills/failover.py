"""The primary killed under load and a standby promoted; DATABASE_URL names both, and nobody touches the service."""

import time

from bench.drills.load import Load
from bench.drills.report import Report
from bench.drills.site import Site
from bench.drills.stored import compare, query


def drill(site: Site) -> list[Report]:
    """Commits wait for the standby (`synchronous_standby_names`), so that none is lost with the primary."""
    report = Report("failover to a standby")
    site = site.apart("failover")
    url, data, cast = site.fresh("postgresql")
    primary, standby = site.postgres, site.directory / "standby"
    standby.mkdir()
    if primary.user:
        standby.chmod(0o777)  # for the user that PostgreSQL runs as
    copy = ("-D", f"{standby}/data", "--write-recovery-conf", "--checkpoint=fast")
    primary.run("pg_basebackup", "-h", str(primary.socket_directory), "-U", "postgres", *copy)
    control = ("pg_ctl", "-w", "-D", f"{standby}/data")
    primary.run(*control, "-l", f"{standby}/log", "-o", f"-h '' -k {standby}", "start")
    site.stack.callback(primary.run, *control, "-m", "fast", "stop")
    query(url, "SELECT 1", before=("ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()"))
    hosts = f"host={primary.socket_directory},{standby}&target_session_attrs=read-write"
    instance = site.serve(f"{url.partition('?')[0]}?{hosts}", data)
    with Load([instance.port], cast.members) as load:
        load.goes_on(0)
        primary.kill()
        time.sleep(0.5)
        primary.run(*control, "promote")
        promoted = time.monotonic()
        load.goes_on(promoted)
    compare(report, load.journal, f"{url.partition('?')[0]}?host={standby}", promoted)
    return [report]

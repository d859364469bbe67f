"""Members distributed over two servers by Citus: migrate, test, move a shard, kill and hang a server.

`CITUS_PROGRAMS` is the directory of the programs of a PostgreSQL into which Citus was installed, with `./configure
PG_CONFIG=…` and `make install` of its source, or as a package. Without it the drill is skipped.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

from tests.support.citus import URL as TESTED_URL
from tools.bench.drills.citus_load import SHARDS, Servers, loaded, started
from tools.bench.drills.report import Report
from tools.bench.servers import ROOT, manage, manage_at_once
from tools.bench.site import Site

PROGRAMS = "CITUS_PROGRAMS"

_BEFORE = {"accounts": "0001", "oauthserver": "0001", "planning": "0001"}
"""Migrations before tables and columns of members' rows were added."""

_AT_ONCE = 4
_COMMANDS = (
    ("purgeexpired",),
    ("remind", "--dry-run"),
    ("erasemember", "twin@example.org", "--yes"),
)
"""Commands that read all members, or delete one."""


def citus(site: Site) -> Iterator[Report]:
    """Run each part on its own database."""
    programs = os.environ.get(PROGRAMS)
    if not programs:
        yield Report("members on Citus", not_run=f"{PROGRAMS} does not name the programs of a PostgreSQL with Citus")
        return
    servers = started(site.stack, site.directory, Path(programs))
    yield from [_migrated(site, servers), _tested(site, servers), *loaded(site, servers)]


def _environment(site: Site, url: str, name: str) -> dict[str, str]:
    data = site.directory / name
    data.mkdir()
    return site.environment(url, data, DATABASE_DISTRIBUTED="true")


def _migrated(site: Site, servers: Servers) -> Report:
    """Distribute at an earlier migration, with a member. Then run the later ones and distribute their tables."""
    report = Report("members on Citus: later migrations")
    url = servers.create("migrated")
    env = _environment(site, url, "migrated")
    manage(env, "migrate", "-v0")
    member = json.loads(manage(env, "createmember", "ada@example.org", "--api-key", "drill", "--json"))
    for app, number in _BEFORE.items():
        manage(env, "migrate", app, number, "-v0")
    manage(env, "distribute", "--shards", SHARDS)
    manage(env, "migrate", "-v0")
    report.check("new tables are distributed", "after 0 " not in manage(env, "distribute"))
    report.check("a second run distributes nothing", "after 0 " in manage(env, "distribute"))
    report.check("a dry run prints nothing", not manage(env, "distribute", "--dry-run"))
    report.check("the member is found", member["email"] in manage(env, "setmembership", member["email"], "active"))
    made = manage_at_once(env, _AT_ONCE, "createmember", "twin@example.org", "--json")
    report.check(f"of {_AT_ONCE} parallel attempts to create one address, one succeeds ({made})", made == 1)
    for command in _COMMANDS:
        manage(env, *command)
    report.notes.append(f"commands that succeed: {', '.join(' '.join(command) for command in _COMMANDS)}")
    return report


def _tested(site: Site, servers: Servers) -> Report:
    """Run the tests of the operations over REST. A request's statement on more than one shard is refused."""
    report = Report("members on Citus: operations")
    url = servers.create("tested")
    env = _environment(site, url, "tested")
    manage(env, "migrate", "-v0")
    manage(env, "distribute", "--shards", SHARDS)
    operations = json.loads((ROOT / "docs" / "openapi.json").read_text())["paths"].values()
    names = sorted(operation["operationId"] for methods in operations for operation in methods.values())
    files = [f"tests/operations/test_{name}.py" for name in names]
    there = [file for file in files if (ROOT / file).exists()]
    found = site.directory / "tested.xml"
    pytest = [sys.executable, "-m", "pytest", "--database", "citus", f"--junitxml={found}", *there]
    with (site.directory / "tested.log").open("wb") as log:
        subprocess.run(pytest, cwd=ROOT, env=os.environ | {TESTED_URL: url}, stdout=log, stderr=log, check=False)
    cases = list(ET.parse(found).iter("testcase"))  # noqa: S314 # nosec  # pytest's own
    wrong = [case.get("name") for case in cases if case.find("failure") is not None or case.find("error") is not None]
    report.notes.append(f"{len(cases)} tests of {len(there)} operations, each statement sent to one shard")
    report.check(f"failed: {', '.join(map(str, wrong)) or 'none'}", cases and not wrong)
    return report

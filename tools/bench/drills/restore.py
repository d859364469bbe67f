"""The commands in docs/operating.md, Backups: back up under write load, restore into an empty database, serve."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from http import HTTPStatus
from pathlib import Path

from tools.bench.cast import CLIENT_ID, SYLLABUS, Cast
from tools.bench.drills.client import Client
from tools.bench.drills.load import Load
from tools.bench.drills.report import Report
from tools.bench.drills.stored import query, writes
from tools.bench.drills.watch import me
from tools.bench.servers import ROOT, manage
from tools.bench.site import Site

_DISCONNECTED, _ERASED, _REVOKED = 1, 2, 3
"""Members of the cast. The first one uses the restored service."""

_BACK = {"app_disconnected": 1, "key_revoked": 1, "member_erased": 1}
_PAGE = ROOT / "docs" / "operating.md"


def drill(site: Site) -> Iterator[Report]:
    """Run on both databases."""
    back_up, restore, back_up_sqlite, restore_sqlite = _commands()
    yield _restore(site, "postgresql", back_up, restore)
    yield _restore(site, "sqlite", back_up_sqlite, restore_sqlite)


def _commands() -> list[str]:
    """Return the first four indented blocks of the section."""
    section = _PAGE.read_text().partition("\n## Backups\n")[2].partition("\n## ")[0]
    blocks = [block for block in section.split("\n\n") if block.startswith("    ")]
    return ["\n".join(line.strip() for line in block.strip().splitlines()) for block in blocks[:4]]


def _restore(site: Site, kind: str, back_up: str, restore: str) -> Report:
    report = Report(f"restored backup, {kind}")
    url, data, cast = site.fresh(kind)
    backup = site.directory / f"backup-{kind}"
    instance = site.serve(url, data)
    with Load(instance.port, cast.members) as load:
        time.sleep(1.5)
        before = load.acknowledged()
        _run(site, back_up, url, data, backup)
        after = load.acknowledged()
        time.sleep(0.5)
    gone = _end_some(site, instance.port, url, data, cast)
    instance.stop()
    report.errors, report.improper = load.journal.errors, load.journal.improper

    new_data = site.directory / f"restored-{kind}"
    new_data.mkdir()
    sqlite = f"sqlite:///{new_data / 'studyservice.sqlite3'}"
    new_url = site.postgres.create("restored") if kind == "postgresql" else sqlite
    started = time.monotonic()
    _run(site, restore, new_url, new_data, backup)
    found, report.half_written = writes(new_url)
    report.acknowledged, report.stored = len(before), len(found)
    report.lost = len(before - found.keys())
    report.duplicated = sum(times - 1 for times in found.values())
    more = len(after) - len(before)
    report.check(f"{more} more writes were acknowledged during the backup", more > 0)
    files = [new_data / "files" / name for (name,) in query(new_url, "SELECT file FROM courses_syllabusfile")]
    report.check(f"{len(files)} files", files and all(file.read_bytes() == SYLLABUS for file in files))
    _redo_gone(report, site, [gone, backup / "gone.jsonl"], new_url, new_data)
    restored = site.serve(new_url, new_data)
    report.recovered = time.monotonic() - started
    _use(report, restored.port, cast)
    _stay_gone(report, restored.port, cast)
    return report


def _end_some(site: Site, port: int, url: str, data: Path, cast: Cast) -> Path:
    """Disconnect an app, revoke a key and erase a member after the backup. Return the file that names them."""
    form = {"token": cast.members[_DISCONNECTED].tokens[0], "client_id": CLIENT_ID}
    Client(port).call("POST", "/oauth/revoke", form=form)
    env = site.environment(url, data)
    manage(env, "revokekey", cast.members[_REVOKED].key)
    manage(env, "erasemember", f"member{_ERASED}@example.org", "--yes")
    return data / "gone.jsonl"


def _redo_gone(report: Report, site: Site, files: Sequence[Path], url: str, data: Path) -> None:
    """Repeat them in the restored database, twice."""
    env = site.environment(url, data)
    first, second = (json.loads(manage(env, "redo-gone", *map(str, files), "--json"))["ended"] for _ in range(2))
    report.check("the erased member, the revoked key and the disconnected app were back", first == _BACK)
    report.check("redo-gone a second time changes nothing", second == {})


def _stay_gone(report: Report, port: int, cast: Cast) -> None:
    for what, member in (("the key of the erased member", _ERASED), ("the revoked key", _REVOKED)):
        with Client(port, cast.members[member].key) as client:
            report.check(f"{what} is refused", me(client).status == HTTPStatus.UNAUTHORIZED)
    refreshed = Client(port).refresh(cast.members[_DISCONNECTED].tokens[0])
    report.check("the refresh token of the disconnected app is refused", refreshed.status == HTTPStatus.BAD_REQUEST)


def _run(site: Site, commands: str, url: str, data: Path, backup: Path) -> None:
    programs = [str(Path(sys.executable).parent)]
    if url.startswith("postgres"):
        programs.insert(0, str(site.postgres.programs))
    path = os.pathsep.join([*programs, os.environ["PATH"]])
    given = {"PATH": path, "DATABASE_URL": url, "DATA_DIR": str(data), "BACKUP": str(backup)}
    subprocess.run(["/bin/sh", "-euc", commands], env=given, check=True)


def _use(report: Report, port: int, cast: Cast) -> None:
    """Check that existing keys and tokens still work."""
    subject = cast.members[0]
    with Client(port, subject.key) as client:
        created = client.call("POST", f"/v1/courses/{subject.courses[0]}/items", {"title": "after the restore"})
        found = created.ok and client.get(f"/v1/items/{created.body['id']}").ok
        report.check("an API key can read and write", found)
    token = Client(port).refresh(subject.tokens[0]).body["access_token"]
    report.check("a refresh token returns a valid token", me(Client(port, token)).ok)

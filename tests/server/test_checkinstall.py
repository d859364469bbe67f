"""`checkinstall`: a complete installation passes, and each fault is reported with its name and remedy."""

import json
import os
import re
import shutil
import ssl
from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from accounts.members.last_runs import LastRun, note_run
from studyservice import __version__
from studyservice.installation import machine
from studyservice.installation.findings import Finding, Outcome, finding_of, findings_of_chain
from studyservice.installation.network import proxy_steps
from studyservice.server.signals import BACKUP
from tests.support.commands import refusal
from tests.support.forked import Ended, ended
from tests.support.identity_server import identity_server
from tests.support.internet import Answer, Internet, answer, moved
from tests.support.model_server import model_server
from tests.support.server import Server, free_port

pytestmark = pytest.mark.database("sqlite", "an installation; another test covers PostgreSQL")

Check = Callable[..., Ended]


@pytest.fixture
def check(server: Server, tmp_path: Path) -> Check:
    """Runs the command beside the server, with these variables."""

    def run(*arguments: str, **variables: str) -> Ended:
        environment = server.environment | variables
        environment.pop("DJANGO_ALLOW_ASYNC_UNSAFE", None)  # of browser tests in the same process
        return ended(tmp_path, "manage", "checkinstall", *arguments, environment=environment)

    return run


def failed(done: Ended) -> dict[str, str]:
    """The faults and remedies by step. Each failure has a remedy."""
    assert done.returncode == 1, done.stderr
    found = [one for one in json.loads(done.stdout)["checks"] if one["outcome"] == "FAILED"]
    assert all(one["remedy"] for one in found)
    assert f"{len(found)} of " in done.stderr
    return {one["step"]: f"{one['found']} {one['remedy']}" for one in found}


@pytest.mark.database("both")
def test_a_complete_installation_passes(server: Server, check: Check) -> None:
    for command in ("delivermail", "sendmornings", "remind", "purgeexpired"):
        server.command(command)
    done = check(
        "--json", "--mail-to", "ann@example.org", EMAIL_URL=f"filemail:///{server.environment['DATA_DIR']}/mail"
    )
    report = json.loads(done.stdout)
    assert (report["ok"], done.returncode) == (True, 0), report
    assert [one["step"] for one in report["checks"]] == [
        *("settings", "static files", "processes", "DATA_DIR", "free space"),
        *("database", "database version", "migrations", "secrets", "redis", "mail"),
        *("server", "X-Forwarded-Proto", "X-Forwarded-For", "uploads", "plain http", "clock"),
        *("schedule delivermail", "schedule sendmornings", "schedule remind", "schedule purgeexpired"),
        *("schedule backup", "schedule readcalendars"),
    ]
    assert report["checks"][0] == {"step": "settings", "outcome": "ok", "found": "no warnings.", "remedy": ""}
    [sent] = (Path(server.environment["DATA_DIR"]) / "mail").iterdir()
    assert "To: ann@example.org" in sent.read_text()


def test_it_asks_the_language_model_for_its_models(check: Check) -> None:
    with model_server() as model:
        named = {"SYLLABUS_MODEL_URL": model.url, "SYLLABUS_MODEL": "small"}
        assert f"ok           syllabus model: {model.url} has small." in check(**named).stdout
        other = failed(check("--json", **named | {"SYLLABUS_MODEL": "large"}))["syllabus model"]
    assert other == f"{model.url} has no model large. Set SYLLABUS_MODEL to one that it has: small:latest, other."
    gone = failed(check("--json", **named))["syllabus model"]
    assert gone.startswith(f"{model.url}/models: Its server cannot be reached, or ended the connection. Check that it")


def test_it_reads_what_the_identity_provider_publishes(check: Check) -> None:
    with identity_server() as college:
        named = {"OIDC_CLIENT_ID": "study", "OIDC_CLIENT_SECRET": "secret", "OIDC_NAME": "Example College"}
        found = check(**named, OIDC_ISSUER=college.issuer).stdout
        assert f"ok           identity provider: {college.issuer} answers. It must know this redirect URI: " in found
        assert "The secret is not tested: sign in once." in found
        other = failed(check("--json", **named, OIDC_ISSUER=f"{college.issuer}/"))["identity provider"]
    assert f"is of the issuer '{college.issuer}', and OIDC_ISSUER is '{college.issuer}/'. Check that" in other
    gone = failed(check("--json", **named, OIDC_ISSUER=college.issuer))["identity provider"]
    assert gone.startswith("127.0.0.1: ConnectionRefusedError")


@pytest.mark.parametrize(("days", "warns"), [("", True), ("0", False)])
def test_it_warns_of_memberships_that_the_claim_never_ends(check: Check, days: str, warns: bool) -> None:
    named = {"OIDC_CLIENT_ID": "study", "OIDC_CLIENT_SECRET": "secret", "OIDC_NAME": "Example College"}
    with identity_server() as college:
        found = check(**named, OIDC_ISSUER=college.issuer, OIDC_MEMBERS="groups=students", SIGN_UP_MEMBERSHIP_DAYS=days)
    assert ("Warning: OIDC_MEMBERS is set and SIGN_UP_MEMBERSHIP_DAYS is not" in found.stdout) is warns


def test_an_invalid_setting_stops_it_with_one_line(check: Check) -> None:
    done = check(SECRET_KEY="short")
    assert done.returncode == 1
    assert done.stderr == "Not started: SECRET_KEY is weak. Set it to 50 or more random characters.\n"


def test_common_mistakes_of_a_new_installation_are_named(server: Server, check: Check, tmp_path: Path) -> None:
    """Eight at once, none of which hides another."""
    shutil.copy(server.environment["DATABASE_URL"].removeprefix("sqlite:///"), tmp_path / "studyservice.sqlite3")
    (data := tmp_path / "data").mkdir(mode=0o755)
    data.chmod(0o755)
    program = tmp_path / "timedatectl"
    program.write_text("#!/bin/sh\necho no\n")
    program.chmod(0o700)
    done = check(
        "--json",
        "--least-free=1000000000",
        DATA_DIR=str(data),
        EMAIL_URL="consolemail://",
        WEB_CONCURRENCY="2",
        SIGNUP="open",
        BASE_URL=f"https://127.0.0.1:{free_port()}",
        PATH=f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
    )
    found = failed(done)
    assert f"Others can read {data} (mode 755). chmod 700 {data}" == found["DATA_DIR"]
    assert "MiB free and needs 1000000000" in found["free space"]
    assert "WEB_CONCURRENCY is 2, and REDIS_URL is not set." in found["processes"]
    assert "including sign-in codes. Set EMAIL_URL" in found["mail"]
    assert "TRUSTED_PROXIES is 0. (studyservice.W001)" in found["settings"]
    assert "1 for a single proxy, also if it runs on this machine" in found["settings"]
    assert "SIGNUP is not a variable of the service. (studyservice.W005)" in found["settings"]
    assert "Did you mean SIGN_UP?" in found["settings"]
    assert "There is no TLS" in found["certificate"]
    assert "The clock is not synchronized. Turn on" in found["clock"]


def test_faults_of_dependencies_are_named(check: Check, tmp_path: Path) -> None:
    """An empty database, files of another user, no Redis, and a mail server that is down."""
    nobody = f"127.0.0.1:{free_port()}"
    done = check(
        "--json",
        DATABASE_URL=f"sqlite:///{tmp_path}/empty.sqlite3",
        DATA_DIR=str(tmp_path / "nothing"),
        REDIS_URL=f"redis://{nobody}/0",
        EMAIL_URL=f"smtp://{nobody}",
        DEFAULT_FROM_EMAIL="Study <study@example.org>",
        BASE_URL=f"http://{nobody}",
    )
    found = failed(done)
    assert "migrations were not applied, such as accounts.0001_initial. Run `migrate`" in found["migrations"]
    assert "No such file or directory. Make it a directory" in found["DATA_DIR"]
    assert "Connection refused. Check that it runs, and that REDIS_URL" in found["redis"]
    assert nobody in found["mail"]
    assert "Connection refused. Start the server" in found["server"]
    assert found.keys() == {"migrations", "DATA_DIR", "redis", "mail", "server"}
    assert "schedules: not reached" in check(DATABASE_URL=f"sqlite:///{tmp_path}/empty.sqlite3").stdout


def test_a_missing_database_is_named(check: Check) -> None:
    done = check("--json", DATABASE_URL=f"postgres://study:hunter2@127.0.0.1:{free_port()}/study")
    found = failed(done)
    assert "study at 127.0.0.1 does not answer: connection failed" in found["database"]
    assert "Check that it runs, and that DATABASE_URL" in found["database"]
    assert "hunter2" not in done.stdout + done.stderr


@pytest.mark.django_db
@pytest.mark.usefixtures("internet")
def test_a_sender_rejected_by_mail_servers_is_named(settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    assert "mail" in refusal("checkinstall")


@pytest.mark.django_db
@pytest.mark.usefixtures("internet")
def test_schedules_that_have_not_run_are_named() -> None:
    for name, age in (("delivermail", 31), ("sendmornings", 61), ("remind", 60), (BACKUP, 60 * 49)):
        note_run(name)
        LastRun.objects.filter(name=name).update(finished_at=timezone.now() - timedelta(minutes=age))
    out = StringIO()
    with pytest.raises(CommandError) as refused:
        call_command("checkinstall", stdout=out)
    assert str(refused.value).endswith(
        "schedule delivermail, schedule sendmornings, schedule purgeexpired, schedule backup."
    )
    remedies = dict(re.findall(r"FAILED +schedule (\w+): .*? ago\. (.*)", out.getvalue()))
    assert remedies["backup"].startswith("Start study-backup.timer, with containers `backups`")
    assert remedies["delivermail"].startswith("Start study-schedule.service, with containers `schedule`")


@pytest.mark.django_db
@pytest.mark.usefixtures("internet")
def test_a_restored_database_is_not_said_to_have_no_backup() -> None:
    """A backup is recorded after it was made, so it does not have its own record."""
    out = StringIO()
    with pytest.raises(CommandError):
        call_command("checkinstall", stdout=out)
    [found] = re.findall(r"not checked +schedule backup: (.*)", out.getvalue())
    assert found.startswith("no backup is recorded in this database, as before the first one and after a restore.")


def ready(version: str = __version__, **checks: str) -> Answer:
    return answer(json.dumps({"status": "ok", "version": version, "checks": checks}).encode())


@pytest.fixture
def findings_behind(internet: Internet, settings: Any) -> Callable[..., list[Finding]]:
    """The findings for a service at https://study.example.org whose proxy gives these answers, by path prefix."""

    def serve(proxies: int = 1, **answers: Answer) -> list[Finding]:
        settings.BASE_URL, settings.TRUSTED_PROXIES = "https://study.example.org", proxies

        usual = {".well_known": issuer(settings.BASE_URL), "mcp": uploaded()}

        def write(head: str, connection: Any) -> None:
            path = head.split()[1].strip("/").split("/")[0].replace("-", "_")
            (usual | answers)[path](head, connection)

        internet.serve("study.example.org", write)
        return list(findings_of_chain(proxy_steps()))

    return serve


def issuer(url: str) -> Answer:
    """The metadata of a server that was started with this `BASE_URL`."""
    return answer(json.dumps({"issuer": url}).encode())


def uploaded(status: str = "401 Unauthorized", *, limit: int = 2**30) -> Answer:
    """An answer to a body up to `limit` bytes, by default that of the service; above it, nginx's."""

    def write(head: str, connection: ssl.SSLSocket) -> None:
        [length] = re.findall(r"content-length: (\d+)", head.lower())
        left = int(length)
        while left > 0:
            left -= len(connection.recv(left))
        passed = int(length) <= limit
        said = answer(status=status, X_Request_Id="req_1") if passed else answer(status="413 Request Entity Too Large")
        said(head, connection)

    return write


def remaining(*numbers: int) -> Answer:
    """API answers with these numbers, one after the other."""
    told = iter(numbers)

    def write(head: str, connection: ssl.SSLSocket) -> None:
        left = str(next(told))
        answer(status="401 Unauthorized", RateLimit_Remaining=left, RateLimit_Reset="30")(head, connection)

    return write


def failure(found: list[Finding]) -> tuple[str, str]:
    """Step and text of the failed check. Later ones were skipped, if they need it."""
    [index] = [index for index, one in enumerate(found) if one.outcome is Outcome.FAILED]
    assert all((one.found == "not reached.") is found[index].stops for one in found[index + 1 :])
    return found[index].step, f"{found[index].found} {found[index].remedy}"


def test_a_proxy_that_sets_its_headers_passes(findings_behind: Callable[..., list[Finding]]) -> None:
    found = findings_behind(health=ready(), sign_in=answer(b"page"), v1=remaining(119, 118))
    assert {one.step: one.outcome for one in found} == dict.fromkeys(
        ("https", "certificate", "server", "X-Forwarded-Proto", "X-Forwarded-For", "uploads", "plain http"),
        Outcome.PASSED,
    )


def test_a_proxy_that_does_not_report_https_is_named(findings_behind: Callable[..., list[Finding]]) -> None:
    """Otherwise every page would redirect to itself."""
    step, text = failure(findings_behind(health=ready(), sign_in=moved("https://study.example.org/sign-in")))
    assert (step, "Make the proxy set X-Forwarded-Proto" in text) == ("X-Forwarded-Proto", True)


def test_a_proxy_that_trusts_its_clients_is_named(findings_behind: Callable[..., list[Finding]]) -> None:
    step, text = failure(findings_behind(health=ready(), sign_in=answer(b"page"), v1=remaining(119, 119)))
    assert (step, "A client can choose the address" in text) == ("X-Forwarded-For", True)


def test_a_proxy_with_the_default_limit_of_bodies_is_named(findings_behind: Callable[..., list[Finding]]) -> None:
    small = uploaded(limit=1024 * 1024)
    found = findings_behind(health=ready(), sign_in=answer(b"page"), v1=remaining(119, 118), mcp=small)
    step, text = failure(found)
    assert (step, "answers a body of 11 MiB with 413. Let the proxy pass" in text) == ("uploads", True)


@pytest.mark.parametrize("metadata", [issuer("https://old.example.org"), answer(status="400 Bad Request")])
def test_a_server_with_another_base_url_is_named(
    findings_behind: Callable[..., list[Finding]], metadata: Answer
) -> None:
    """It was changed without a restart. The server may refuse the new host name."""
    step, text = failure(findings_behind(health=ready(), **{".well_known": metadata}))
    assert (step, "Restart the server and the schedule" in text) == ("server", True)
    assert "started with BASE_URL https://old.example.org." in text or "started with another BASE_URL" in text


def test_a_proxy_of_which_the_service_does_not_know_is_named(findings_behind: Callable[..., list[Finding]]) -> None:
    """gunicorn believes a proxy on the same machine that it speaks https, so pages work."""
    step, text = failure(findings_behind(health=ready(), sign_in=answer(b"page"), proxies=0))
    assert (step, "1 for a single one, also on this machine" in text) == ("X-Forwarded-For", True)


@pytest.mark.parametrize(
    ("health", "told"),
    [
        (ready(version="0.0.1"), f"The server runs 0.0.1, and this is {__version__}. Restart"),
        (ready(database="ok", redis="down"), "are down: redis. Fix those steps. The server reconnects"),
        (answer(b"Welcome to nginx!"), "not from this service. Check which server"),
        (answer(b"[]"), "not from this service"),
        (answer(status="502 Bad Gateway"), "answered 502"),
    ],
)
def test_a_different_server_behind_the_proxy_is_named(
    findings_behind: Callable[..., list[Finding]], health: Answer, told: str
) -> None:
    step, text = failure(findings_behind(health=health))
    assert (step, told in text) == ("server", True), text


@pytest.mark.database("postgresql")
@pytest.mark.django_db
def test_version_and_clock_of_postgresql_are_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [step() for _, step in machine.database_steps()]
    assert found[1].startswith("PostgreSQL 1")
    assert machine.clock().endswith("the same as that of PostgreSQL.")
    monkeypatch.setattr(machine, "OLDEST_POSTGRESQL", 99)
    step, text = failure(list(findings_of_chain(machine.database_steps())))
    assert (step, text.endswith("is too old. Upgrade it to 99 or newer.")) == ("database version", True)


def test_uncollected_static_files_are_named(settings: Any, tmp_path: Path) -> None:
    settings.STATIC_ROOT = str(tmp_path)
    found = {one.step: one for one in map(finding_of, machine.settings_steps())}
    assert found["static files"].outcome is Outcome.FAILED
    assert "Run: manage.py collectstatic" in found["static files"].remedy

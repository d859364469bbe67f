"""The alert rules and the dashboard in docs/monitoring, checked against the service's real metrics."""

import json
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from django.core.mail import EmailMessage
from django.core.management import call_command
from django.db import connection

from accounts import mail
from accounts.members.last_runs import LastRun
from studyservice import __version__
from studyservice.server import sampling
from studyservice.server.health import drift
from tests import ROOT
from tests.support import server
from tests.support.cases import each
from tests.support.factories import DueCalendarFactory, MemberFactory, OutgoingMailFactory
from tests.support.redis_server import start_redis

about_files = pytest.mark.database("sqlite", "files")

MONITORING = ROOT / "docs" / "monitoring"
RULES = MONITORING / "alerts.yml"
PROMTOOL = shutil.which("promtool")

needs_promtool = pytest.mark.skipif(PROMTOOL is None, reason="promtool was not found (Debian's package prometheus)")


def promtool(*arguments: str) -> str:
    """The output of promtool; fails for an invalid file."""
    done = subprocess.run([PROMTOOL or "", *arguments], check=False, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@needs_promtool
@about_files
def test_prometheus_accepts_the_rules() -> None:
    rules = len(re.findall(r"^ +- alert:", RULES.read_text(), re.MULTILINE))
    assert f"SUCCESS: {rules} rules found" in promtool("check", "rules", str(RULES))


@needs_promtool
@about_files
def test_each_alert_fires_when_it_should_and_never_in_a_quiet_service() -> None:
    assert "SUCCESS" in promtool("test", "rules", str(MONITORING / "alerts_test.yml"))
    tested = set(re.findall(r'alertname="(\w+)"', (MONITORING / "alerts_test.yml").read_text()))
    assert tested == set(re.findall(r"- alert: (\w+)", RULES.read_text()))


def dashboard() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((MONITORING / "dashboard.json").read_text())
    return found


@needs_promtool
@about_files
def test_prometheus_understands_each_panel(tmp_path: Path) -> None:
    """Grafana's variables are replaced by values."""
    expressions = [target["expr"] for panel in dashboard()["panels"] for target in panel["targets"]]
    rules = [
        {"record": "panel", "expr": expression.replace("$__rate_interval", "5m").replace("$instance", ".*")}
        for expression in expressions
    ]
    (tmp_path / "panels.yml").write_text(json.dumps({"groups": [{"name": "panels", "rules": rules}]}))
    # All have one name here, which the linter would report as duplicates.
    assert f"{len(rules)} rules found" in promtool("check", "rules", "--lint=none", str(tmp_path / "panels.yml"))


def named() -> set[str]:
    """Every metric named by a rule or a panel."""
    text = RULES.read_text() + (MONITORING / "dashboard.json").read_text()
    return set(re.findall(r"\bstudyservice_\w+", text))


@pytest.fixture
def address() -> str:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return f"127.0.0.1:{free.getsockname()[1]}"


def scraped(address: str) -> str:
    with urlopen(f"http://{address}/metrics", timeout=10) as answer:  # http on loopback
        text: str = answer.read().decode()
    return text


def value(text: str, name: str) -> float:
    [found] = re.findall(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE)
    return float(found)


def waited_for(address: str, name: str, wanted: Callable[[float], bool]) -> str:
    """The metrics, once one of them has a wanted value."""
    for _ in range(100):
        text = scraped(address)
        if re.search(rf"^{re.escape(name)} ", text, re.MULTILINE) and wanted(value(text, name)):
            return text
        time.sleep(0.1)
    raise AssertionError(f"{name} stayed unwanted:\n{text}")


def test_every_named_metric_is_measured(tmp_path: Path, address: str) -> None:
    """On a server with two processes, after one request."""
    with (
        start_redis(tmp_path) as redis,
        server.running(tmp_path, REDIS_URL=redis.url, WEB_CONCURRENCY="2", METRICS_ADDRESS=address) as running,
    ):
        urlopen(f"{running.url}/sign-in", timeout=10).close()  # noqa: S310  # http on loopback
        waited_for(address, "studyservice_threads", lambda threads: threads >= 8)
        if connection.vendor == "postgresql":  # scraped shortly after the start
            waited_for(address, "studyservice_lock_waits", lambda waits: waits >= 0)
        text = waited_for(address, "studyservice_busy_threads", lambda busy: busy == 0)
    served = set(re.findall(r"^(studyservice_\w+)", text, re.MULTILINE))
    sqlite_has_none = {"studyservice_lock_waits", "studyservice_clock_drift_seconds"}
    measured = served if connection.vendor == "postgresql" else served | sqlite_has_none
    assert named() - measured == set()
    assert value(text, f'studyservice_info{{version="{__version__}"}}') == 1
    assert value(text, "studyservice_wait_seconds_count") > 0
    assert value(text, "studyservice_busy_threads") == value(text, "studyservice_redis_fallback_processes") == 0


@pytest.fixture
def metrics() -> Any:
    """The module, which the service loads only with METRICS_ADDRESS."""
    from studyservice.server import metrics

    return metrics


@pytest.mark.database("sqlite", "mail")
def test_e_mails_are_counted(metrics: Any, settings: Any) -> None:
    def counts() -> list[float]:
        return [metrics.MAILS.labels(outcome)._value.get() for outcome in ("sent", "failed")]

    before = counts()
    mail.post(EmailMessage("x", "y", to=["ada@example.org"]))
    mail.drain()
    settings.EMAIL_BACKEND = "tests.support.nothing.Backend"
    mail.post(EmailMessage("x", "y", to=["ada@example.org"]))
    mail.drain()
    assert [now - then for now, then in zip(counts(), before, strict=True)] == [1, 1]


def shown(gauge: Any) -> float:
    sampling.ask()
    found: float = gauge._value.get()
    return found


@pytest.mark.django_db
@each("command", ["delivermail", "readcalendars", "sendmornings", "remind", "purgeexpired"])
def test_the_last_run_of_each_command_is_reported(metrics: Any, command: str) -> None:
    gauge = metrics.LAST_RUN.labels(command)
    assert shown(gauge) == 0
    call_command(command)
    assert abs(time.time() - shown(gauge)) < 60


@pytest.mark.django_db
def test_the_newest_backup_is_reported(metrics: Any) -> None:
    """Recorded by `deploy/backup.sh`."""
    assert shown(metrics.NEWEST_BACKUP) == 0
    LastRun.objects.create(name="backup", finished_at="2026-11-22T12:00:00Z")
    assert shown(metrics.NEWEST_BACKUP) == datetime(2026, 11, 22, 12, tzinfo=UTC).timestamp()


@pytest.mark.django_db
def test_the_age_of_the_oldest_queued_e_mail_is_reported(metrics: Any) -> None:
    assert shown(metrics.MAIL_QUEUE_AGE) == 0
    for hours in (1, 3, 2):
        OutgoingMailFactory.create(created_at=datetime.now(UTC) - timedelta(hours=hours))
    assert 3 * 3600 <= shown(metrics.MAIL_QUEUE_AGE) < 3 * 3600 + 60


@pytest.mark.django_db
def test_dropped_morning_e_mails_are_reported(metrics: Any) -> None:
    assert shown(metrics.DROPPED_MORNINGS) == 0
    yesterday = datetime.now(UTC).date() - timedelta(days=1)
    MemberFactory.create(morning_email=True, morning_put_off=True, morning_sent_on=yesterday)
    assert shown(metrics.DROPPED_MORNINGS) == 1


@pytest.mark.django_db
def test_overdue_school_calendars_are_reported_if_they_are_read(metrics: Any, settings: Any) -> None:
    DueCalendarFactory.create(next_read_at=datetime.now(UTC) - timedelta(minutes=31))
    assert shown(metrics.OVERDUE_CALENDARS) == 1
    settings.SCHOOL_CALENDARS = False
    assert shown(metrics.OVERDUE_CALENDARS) == 0


@pytest.mark.database("sqlite", "arithmetic")
@each(("theirs", "seconds"), [(9, 1), (10.5, 0), (12, 1), (10, 0), (11, 0)])
def test_a_possibly_correct_clock_has_no_drift(theirs: float, seconds: float) -> None:
    """It is read between two readings of the local clock."""
    assert drift(10, theirs, 11) == seconds


@pytest.mark.database("postgresql")
@pytest.mark.django_db(transaction=True)
def test_sessions_waiting_for_a_lock_are_counted(metrics: Any, make_member: Any, in_threads: Any) -> None:
    from django.db import transaction

    from accounts.models import Member

    member, seen = make_member(), []

    def hold(is_first: bool) -> None:
        time.sleep(0 if is_first else 0.3)
        with transaction.atomic():
            Member.objects.select_for_update().get(id=member.id)
            if is_first:
                time.sleep(1)
                sampling.ask()
                seen.append(metrics.LOCK_WAITS._value.get())

    in_threads(hold, [True, False])
    assert seen == [1]


def test_health_reports_the_running_version(client: Any, db: None) -> None:
    """`/health` itself follows the specification."""
    assert client.get("/health/live").json() == {"status": "ok", "version": __version__}
    assert client.get("/health/ready").json()["version"] == __version__
    assert client.get("/health").json() == {"status": "ok"}

"""`checkconnection` connects like an assistant, reports obstacles, and leaves nothing behind."""

import json
import signal
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from accounts.models import Member
from oauthserver.models import Application
from studyservice.installation.findings import Finding, Outcome, finding_of
from studyservice.installation.network import network_steps
from tests import ROOT
from tests.support.cases import each
from tests.support.databases import connected, copied
from tests.support.forked import Ended, ended
from tests.support.internet import PUBLIC, Internet
from tests.support.server import Server

ENOUGH_ON_SQLITE = pytest.mark.database("sqlite", "wording and network; the steps run on both databases elsewhere")

NETWORK = ["https", "certificate", "public address"]
STEPS = ["metadata", "401 challenge", "registration", "sign-in", "consent", "token", "tools/list"]


Check = Callable[..., Ended]


@pytest.fixture
def check(server: Server, tmp_path: Path) -> Check:
    """Runs the command beside the server, with these variables."""

    def run(*arguments: str, **variables: str) -> Ended:
        return ended(tmp_path, "manage", "checkconnection", *arguments, environment=server.environment | variables)

    return run


def outcomes(done: Ended) -> dict[str, str]:
    return {found["step"]: found["outcome"] for found in json.loads(done.stdout)["checks"]}


def left_behind(database_url: str) -> tuple[int, int]:
    """The number of throwaway members and apps in the database, counted in this process on a separate connection."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(_left_in, database_url).result()


def _left_in(database_url: str) -> tuple[int, int]:
    with connected(database_url):
        members = Member.objects.filter(email__endswith="@check.invalid")
        return members.count(), Application.objects.count()


def test_it_checks_the_whole_connection_and_leaves_nothing_behind(server: Server, check: Check) -> None:
    before = left_behind(server.environment["DATABASE_URL"])
    done = check()
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == len(NETWORK + STEPS)
    assert [line for line in lines if "loopback: not checked" in line] == lines[: len(NETWORK)]
    assert all(line.startswith("ok ") for line in lines[len(NETWORK) :])
    assert lines[-1].endswith(" tools.")
    assert left_behind(server.environment["DATABASE_URL"]) == before


@ENOUGH_ON_SQLITE
def test_programs_get_the_same_results(server: Server, check: Check) -> None:
    done = check("--json")
    report = json.loads(done.stdout)
    assert (report["url"], report["ok"]) == (server.url, True)
    assert [found["step"] for found in report["checks"]] == NETWORK + STEPS
    assert report["checks"][0] == {
        "step": "https",
        "outcome": "not checked",
        "found": "loopback: not checked.",
        "remedy": "",
    }


@ENOUGH_ON_SQLITE
def test_a_service_with_a_different_address_is_told_which_setting_to_change(server: Server, check: Check) -> None:
    with _passing_on(server.url) as front:
        done = check(front)
    assert done.returncode == 1
    [line] = [line for line in done.stdout.splitlines() if line.startswith("FAILED")]
    assert "metadata" in line
    assert f"Set BASE_URL to {front}" in line
    assert f"{server.url}/mcp" in line
    assert done.stderr.strip() == f"CommandError: Assistants cannot connect to {front}: see metadata."


@ENOUGH_ON_SQLITE
def test_steps_after_a_failed_one_are_skipped(server: Server, check: Check) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        nobody = f"http://127.0.0.1:{free.getsockname()[1]}"
    before = left_behind(server.environment["DATABASE_URL"])
    done = check(nobody, "--json")
    assert done.returncode == 1
    report = json.loads(done.stdout)
    assert not report["ok"]
    assert outcomes(done) == dict.fromkeys(NETWORK + STEPS, "not checked") | {"metadata": "FAILED"}
    assert "Check that the service is running" in report["checks"][3]["remedy"]
    assert left_behind(server.environment["DATABASE_URL"]) == before


def test_a_different_database_is_reported_at_sign_in(check: Check, tmp_path: Path) -> None:
    with copied("elsewhere", tmp_path) as url:
        done = check("--json", DATABASE_URL=url)
        assert outcomes(done)["sign-in"] == "FAILED"
        assert outcomes(done)["consent"] == "not checked"
        assert "the same database" in done.stdout
        assert left_behind(url) == (0, 0)


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Let a child process be interrupted even if the tests run in a background shell, which ignores SIGINT."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@ENOUGH_ON_SQLITE
@pytest.mark.usefixtures("interruptible")
@pytest.mark.parametrize("interruption", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_leaves_nothing_behind(server: Server, interruption: signal.Signals) -> None:
    """While it waits for a service that accepts the connection but never answers."""
    before = left_behind(server.environment["DATABASE_URL"])
    with socket.create_server(("127.0.0.1", 0)) as mute:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "checkconnection", f"http://127.0.0.1:{mute.getsockname()[1]}"],
            cwd=ROOT,
            env=server.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        mute.settimeout(60)
        connection, _ = mute.accept()
        process.send_signal(interruption)
        _, said = process.communicate(timeout=60)
        connection.close()
    assert process.returncode == 130
    assert said.strip() == "CommandError: Interrupted. Nothing is left behind."
    assert left_behind(server.environment["DATABASE_URL"]) == before


@ENOUGH_ON_SQLITE
def test_an_unreachable_name_fails_each_network_step() -> None:
    https, certificate, address = _network("http://nowhere.invalid")
    assert (https.outcome, certificate.outcome, address.outcome) == (Outcome.FAILED, Outcome.SKIPPED, Outcome.FAILED)
    assert "plain http" in https.found
    assert "DNS" in address.remedy


@ENOUGH_ON_SQLITE
@each(("host", "outcome"), [("10.1.2.3", Outcome.FAILED), ("8.8.8.8", Outcome.PASSED)])
def test_public_addresses_are_recognized(host: str, outcome: Outcome) -> None:
    assert _network(f"http://{host}")[2].outcome is outcome


@ENOUGH_ON_SQLITE
@pytest.mark.parametrize(
    ("trusted", "age", "days", "outcome", "found"),
    [
        (True, 30, 60, Outcome.PASSED, "trusted until"),
        (True, 87, 3, Outcome.FAILED, "is valid for 2 days more, until"),
        (True, 3, 3, Outcome.PASSED, "trusted until"),
        (True, 5, 1, Outcome.FAILED, "is valid for less than a day more, until"),
        (True, 90, -1, Outcome.FAILED, "has expired"),
        (False, 30, 60, Outcome.FAILED, "not trusted"),
    ],
)
def test_the_certificate_is_checked(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    trusted: bool,
    age: int,
    days: int,
    outcome: Outcome,
    found: str,
) -> None:
    """Some certificates are valid for 90 days and some for six, which are renewed later."""
    certificate = _certificate(tmp_path, age, days)
    if trusted:
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with _tls(certificate) as url:
        https, shown, _ = _network(url)
    assert https.outcome is Outcome.PASSED
    assert (shown.outcome, found in shown.found) == (outcome, True), shown
    assert bool(shown.remedy) == (outcome is Outcome.FAILED)
    assert ("Renew it, reload the proxy" in shown.remedy) == ("more, until" in found or "expired" in found)
    assert shown.stops == ("not trusted" in found or "expired" in found)


@ENOUGH_ON_SQLITE
def test_a_port_without_tls_is_reported() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    shown = _network(f"https://localhost:{port}")[1]
    assert (shown.outcome, "no TLS" in shown.found) == (Outcome.FAILED, True)


@ENOUGH_ON_SQLITE
@pytest.mark.parametrize("address", ["10.0.0.7", "100.64.0.1", "64:ff9b:1::7f00:1", "fec0::1", "3fff::1"])
def test_a_private_address_is_reported(internet: Internet, address: str) -> None:
    internet.names = {"study.example": [PUBLIC, address]}
    shown = _network("https://study.example")[2]
    assert (shown.outcome, f"is {address}, which" in shown.found) == (Outcome.FAILED, True)


def _network(url: str) -> list[Finding]:
    return list(map(finding_of, network_steps(url)))


def _certificate(directory: Path, age: int, days: int) -> Path:
    """A file with a self-signed certificate for localhost and its key, `age` days old and valid for `days` more."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=age))
        .not_valid_after(now + timedelta(days=days))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    path = directory / "certificate.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM) + private)
    return path


@contextmanager
def _tls(certificate: Path) -> Iterator[str]:
    """Completes the TLS handshake with one client."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)

    def once(listening: socket.socket) -> None:
        plain, _ = listening.accept()
        with plain, suppress(OSError), context.wrap_socket(plain, server_side=True) as encrypted:
            encrypted.recv(1)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(60)
        thread = threading.Thread(target=once, args=(listening,))
        thread.start()
        yield f"https://localhost:{listening.getsockname()[1]}"
        thread.join()


@contextmanager
def _passing_on(url: str) -> Iterator[str]:
    """A proxy that exposes the service under another address, like one that was moved."""
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
    from urllib.request import urlopen

    class Front(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            with urlopen(f"{url}{self.path}", timeout=30) as response:  # noqa: S310  # http on loopback
                body = response.read()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Log nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Front) as front:
        thread = threading.Thread(target=front.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{front.server_port}"
        front.shutdown()
        thread.join()

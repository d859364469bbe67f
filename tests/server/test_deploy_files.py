"""The files in `deploy/`, validated by their programs and shown unchanged in the docs."""

import re
import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from tests import ROOT
from tests.support.cases import each

pytestmark = pytest.mark.database("sqlite", "files of the deployment")

DEPLOY = ROOT / "deploy"
UNITS = sorted(file.name for file in DEPLOY.iterdir() if file.suffix in {".service", ".timer"})
PAGES = sorted((ROOT / "docs").glob("*.md"))


def judged(*command: str) -> "subprocess.CompletedProcess[str]":
    """The output of a program. Skipped if it is not installed; `.ci/run` installs it."""
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not on PATH")
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)


def unit(name: str, directory: Path, **replaced: str) -> "subprocess.CompletedProcess[str]":
    """`systemd-analyze verify` of a unit, with programs that exist here."""
    for file in DEPLOY.glob("study*.*"):
        text = file.read_text().replace("/srv/study/.venv/bin/python", sys.executable)
        for old, new in {"/usr/local/bin/study-backup": "/bin/sh", **replaced}.items():
            text = text.replace(old, new)
        (directory / file.name).write_text(text)
    return judged("systemd-analyze", "verify", str(directory / name))


@pytest.mark.parametrize("name", UNITS)
def test_systemd_accepts_the_units(name: str, tmp_path: Path) -> None:
    done = unit(name, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", [name for name in UNITS if name.endswith(".service")])
def test_systemd_finds_little_to_take_from_a_unit(name: str) -> None:
    """Its exposure of 10 is below 2. The same unit without these lines has 8.5."""
    done = judged("systemd-analyze", "security", "--offline=true", "--threshold=20", str(DEPLOY / name))
    assert done.returncode == 0, done.stdout


def test_systemd_names_an_invalid_line(tmp_path: Path) -> None:
    """Shows that the test above can fail."""
    assert "'Exec' in section" in unit("study.service", tmp_path, ExecStart="Exec").stderr


def nginx(directory: Path, **replaced: str) -> "subprocess.CompletedProcess[str]":
    """`nginx -t` of the site, with a temporary certificate and other ports."""
    _certificate(directory)
    text = (DEPLOY / "nginx.conf").read_text()
    live = "/etc/letsencrypt/live/study.example.org"
    for old, new in {live: str(directory), "listen 80": "listen 8080", "listen 443": "listen 8443", **replaced}.items():
        assert old in text
        text = text.replace(old, new)
    whole = f"pid {directory}/pid;\nerror_log stderr;\nevents {{}}\nhttp {{\naccess_log off;\n{text}\n}}\n"
    (directory / "nginx.conf").write_text(whole)
    return judged("nginx", "-t", "-e", "stderr", "-p", str(directory), "-c", str(directory / "nginx.conf"))


def test_nginx_accepts_the_site(tmp_path: Path) -> None:
    done = nginx(tmp_path)
    assert done.returncode == 0, done.stderr
    assert "test is successful" in done.stderr


def test_nginx_names_an_invalid_line(tmp_path: Path) -> None:
    assert "unknown directive" in nginx(tmp_path, proxy_read_timeout="proxy_read_time").stderr


def _certificate(directory: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "study.example.org")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now)
        .not_valid_after(now + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    (directory / "fullchain.pem").write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (directory / "privkey.pem").write_bytes(private)


def test_caddy_accepts_its_file(tmp_path: Path) -> None:
    done = judged("caddy", "validate", "--adapter", "caddyfile", "--config", str(DEPLOY / "Caddyfile"))
    assert (done.returncode, "Valid configuration" in done.stdout + done.stderr) == (0, True), done.stderr
    wrong = tmp_path / "Caddyfile"
    wrong.write_text((DEPLOY / "Caddyfile").read_text().replace("reverse_proxy", "reverse_proxies"))
    assert judged("caddy", "validate", "--adapter", "caddyfile", "--config", str(wrong)).returncode == 1


@each("name", ["backup.sh", "study-manage"])
def test_a_shell_accepts_the_scripts(name: str) -> None:
    done = judged("sh", "-n", str(DEPLOY / name))
    assert (done.returncode, done.stderr) == (0, "")


def test_a_checkout_elsewhere_is_named_everywhere(tmp_path: Path) -> None:
    """By the command of the page, in copies of the files that name `/srv/study`."""
    text = (ROOT / "docs" / "install-checkout.md").read_text()
    [command] = re.findall(r'^    (sed -i "s#/srv/study#.*)$', text, re.MULTILINE)
    named = [file for file in DEPLOY.iterdir() if "/srv/study" in file.read_text()]
    for file in named:
        (tmp_path / file.name).write_text(file.read_text())
    command = re.sub(r"/(?:usr/local/bin|etc/systemd/system)/", f"{tmp_path}/", command)
    assert judged("bash", "-euc", command).returncode == 0
    assert [file.name for file in tmp_path.iterdir() if "/srv/study" in file.read_text()] == []
    assert len(named) == 3


def test_systemd_and_a_shell_read_the_example_environment(tmp_path: Path) -> None:
    """Both read it, and it contains only variables that the service knows."""
    shown = judged("sh", "-euc", f"set -a; . {DEPLOY / 'environment'}; env")
    assert "DEFAULT_FROM_EMAIL=Study Data Service <study@example.org>\n" in shown.stdout
    lines = [line for line in (DEPLOY / "environment").read_text().splitlines() if not line.startswith("#")]
    names = [line.partition("=")[0] for line in lines]
    table = (ROOT / "docs" / "operating.md").read_text()
    assert [name for name in names if f"`{name}`" not in table] == []
    assert all(re.fullmatch(r'[A-Z_]+=("[^"$`\\]*"|[^"\'\s$`\\<>&;()]*)', line) for line in lines)


def test_the_docs_show_the_files_unchanged() -> None:
    """Each block that begins with the name of a file in `deploy/` equals that file."""
    text = "".join(page.read_text() for page in PAGES)
    shown = re.findall(r"`deploy/([\w.-]+)`:\n\n```\w*\n(.*?)```\n", text, re.DOTALL)
    assert {name for name, _ in shown} >= {"study.service", "nginx.conf", "Caddyfile", "environment"}
    for name, block in shown:
        assert block == (DEPLOY / name).read_text(), name


def test_every_file_is_named_in_the_docs() -> None:
    text = "".join(page.read_text() for page in PAGES)
    assert [file.name for file in DEPLOY.iterdir() if file.name not in text] == []

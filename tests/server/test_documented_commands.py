"""Commands of the guides, run as they are printed."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from environ import Env

from tests import ROOT

pytestmark = pytest.mark.database("sqlite", "commands of the guides")

GUIDES = [(ROOT / "docs" / name).read_text() for name in ("bad-days.md", "operating.md")]
LOG = """\
Started study.service - Study Data Service.
{"time":"2026-11-27T10:00:00+00:00","level":"INFO","message":"GET /v1/me 200","client_id":"calendar"}
0
{"time":"2026-11-27T10:00:01+00:00","level":"WARNING","message":"GET /v1/me 401","error":"unauthorized","api_key":"k1"}
"cut
"""


def filters() -> list[str]:
    """The commands that filter a log, without the command that prints it."""
    printed = r"^    (?:journalctl|docker compose logs).*?\|\s+(jq (?:.*\|\n)*.*)$"
    found = re.findall(printed, "\n".join(GUIDES), re.MULTILINE)
    return [command.replace("\n", " ") for command in found]


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed; `.ci/run` installs it")
def test_the_filters_of_logs_pass_over_plain_lines() -> None:
    """The log also has lines of systemd and of a failed start."""
    assert len(filters()) == 3
    for command in filters():
        done = subprocess.run(["/bin/sh", "-c", command], input=LOG, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, ""), command
        assert "unauthorized" in done.stdout
        assert "calendar" not in done.stdout


def test_a_password_encoded_as_documented_passes_the_shell_and_the_url(tmp_path: Path) -> None:
    """`study-manage` reads the environment with a shell."""
    password = """p&s"w'o\\r$d/#@%:? `;|<>()ü"""
    [encode] = set(re.findall(r"^    (python3 -c .*quote.*)$", GUIDES[1], re.MULTILINE))
    encoded = subprocess.run(
        ["/bin/sh", "-c", encode], input=f"{password}\n", capture_output=True, text=True, check=True
    )
    line = f"EMAIL_URL=smtp+tls://study@example.org:{encoded.stdout.strip()}@smtp.example.org:587\n"
    (tmp_path / "environment").write_text(line)
    read = ["/bin/sh", "-euc", f'. {tmp_path}/environment; printf %s "$EMAIL_URL"']
    url = subprocess.run(read, capture_output=True, text=True, check=True).stdout
    assert Env.email_url_config(url)["EMAIL_HOST_PASSWORD"] == password

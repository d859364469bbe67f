"""Commands of the guides, run as they are printed."""

import json
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
    printed = r"^ {4,}(?:journalctl|docker compose logs).*?\|\s+(jq (?:.*\|\n)*.*)$"
    found = re.findall(printed, "\n".join(GUIDES), re.MULTILINE)
    return [command.replace("\n", " ") for command in found]


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed; `.ci/run` installs it")
def test_the_filters_of_logs_pass_over_plain_lines() -> None:
    """The log also has lines of systemd and of a failed start."""
    found = [command for command in filters() if "$ID" not in command]
    assert len(found) == 3
    for command in found:
        done = subprocess.run(["/bin/sh", "-c", command], input=LOG, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, ""), command
        assert "unauthorized" in done.stdout
        assert "calendar" not in done.stdout


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed; `.ci/run` installs it")
def test_the_log_lists_the_calls_of_one_key() -> None:
    """Answered and refused ones, with the network, and nobody else's."""
    call = {"time": "10:00", "client_address": "203.0.113.0/24", "method": "GET", "path": "/v1/export", "status": 200}
    log = "\n".join([LOG, *(json.dumps(call | {"api_key": key}) for key in ("k1", "k2"))])
    [command] = [command for command in filters() if "$ID" in command]
    listed = subprocess.run(
        ["/bin/sh", "-c", f"ID=k1; {command}"], input=log, capture_output=True, text=True, check=True
    )
    assert [line.split("\t")[1:] for line in listed.stdout.splitlines()] == [
        ["", "", "", "", ""],
        ["203.0.113.0/24", "GET", "/v1/export", "", "200"],
    ]


@pytest.mark.skipif(shutil.which("rsync") is None, reason="rsync is not installed; `.ci/run` installs it")
def test_the_copy_of_the_record_grows_and_never_shrinks(tmp_path: Path) -> None:
    """A missing file is no error; a new one after a restore does not replace the copy until it is longer."""
    [line] = re.findall(r"^ {4}\*/5 \* \* \* \* root (rsync .*)$", GUIDES[0], re.MULTILINE)
    record, copy = tmp_path / "gone.jsonl", tmp_path / "copies" / "gone.jsonl"
    copy.parent.mkdir()
    command = line.replace("/var/lib/study/gone.jsonl", str(record))
    command = command.replace("backup@other.example.org:study/", f"{copy.parent}/")
    copies = []
    for text in (None, "one\n", "one\ntwo\n", "new\n", "two\none\nthree\n"):
        record.unlink(missing_ok=True)
        if text is not None:
            record.write_text(text)
        subprocess.run(["/bin/sh", "-c", command], check=True, timeout=60)
        copies.append(copy.read_text() if copy.exists() else None)
    assert copies == [None, "one\n", "one\ntwo\n", "one\ntwo\n", "two\none\nthree\n"]


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

"""The authorization server scenarios of the protocol's conformance suite.

Only the next version of the suite has them. It is installed beside the current one under another name.
"""

import re
import subprocess
from pathlib import Path

import httpx2
import pytest

from tests.oauth.test_oauth_clients import Ada, ada
from tests.support import javascript
from tests.support.server import Server, free_port

pytestmark = pytest.mark.database("sqlite", "client libraries")

__all__ = ["ada"]  # a fixture

SUITE = "node_modules/conformance-authorization/dist/index.js"
SCENARIOS = ["authorization-server-metadata-endpoint", "authorization-code-grant"]


def test_the_scenarios_pass(server: Server, ada: Ada, tmp_path: Path) -> None:
    """The suite prints the address of the consent page and waits for the redirect."""
    port = free_port()
    registered = httpx2.post(
        f"{server.url}/oauth/register",
        json={
            "client_name": "Conformance",
            "redirect_uris": [f"http://127.0.0.1:{port}/callback"],
            "token_endpoint_auth_method": "none",
        },
    ).json()
    options = ["--url", server.url, "--client-id", registered["client_id"], "--port", str(port)]
    options += ["--resource", f"{server.url}/mcp", "--output-dir", str(tmp_path)]
    with subprocess.Popen(
        [javascript.node(), SUITE, "authorization", *options],
        cwd=javascript.CLIENTS,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as suite:
        assert suite.stdout is not None
        said = []
        for line in suite.stdout:
            said.append(line)
            if line.startswith(f"{server.url}/oauth/authorize?"):
                assert httpx2.get(ada.allow(line.strip())).status_code == 200
    printed = "".join(said)
    assert suite.returncode == 0, printed
    passed = dict(re.findall(r"^✓ (\S+): ([1-9][0-9]*) passed, 0 failed$", printed, re.MULTILINE))
    assert list(passed) == SCENARIOS, printed
    assert f"Total: {sum(map(int, passed.values()))} passed, 0 failed" in printed


def test_every_authorization_scenario_is_listed() -> None:
    listed = javascript.run(SUITE, "list").stdout.partition("Authorization server scenarios")[2]
    assert re.findall(r"^  - (\S+)", listed, re.MULTILINE) == SCENARIOS

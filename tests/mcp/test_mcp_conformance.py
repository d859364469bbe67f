"""The server scenarios of the protocol's own conformance suite."""

import json
import re
from typing import Any

import pytest

from tests.support import javascript
from tests.support.doors import RestDoor

SUITE = "node_modules/@modelcontextprotocol/conformance/dist/index.js"

APPLY = ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"]

DO_NOT_APPLY = {
    r"logging-set-level": "the server sends no log messages to clients, and says so in its capabilities",
    r"completion-complete": "it completes no arguments, and says so",
    r"resources-.*": "it has no resources, and says so",
    r"prompts-.*": "it has no prompts, and says so",
    r"tools-call-.*|json-schema-2020-12": "they call tools that only the suite's own example server has",
    r"elicitation-.*": "its tools ask the client nothing back",
    r"server-sse-.*": "it answers JSON and keeps no sessions, so there is no stream to resume or to open twice",
}
"""Scenario to the reason; what tools answer is tested in test_mcp_calls.py and test_mcp_clients.py."""


@pytest.mark.rest
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("scenario", APPLY)
def test_a_scenario_that_applies_passes(live_server: Any, owner: RestDoor, scenario: str) -> None:
    given = json.dumps({"url": f"{live_server.url}/mcp", "secret": owner.secret})
    done = javascript.run("conformance.mjs", scenario, given=given)
    assert done.returncode == 0, done.stdout + done.stderr
    passed = re.search(r"Passed: (\d+)/(\d+), 0 failed, 0 warnings", done.stdout)
    assert passed is not None, done.stdout
    assert passed[1] == passed[2] != "0"


def test_every_scenario_applies_or_has_a_reason_why_not() -> None:
    listed = javascript.run(SUITE, "list").stdout
    servers = listed.partition("Server scenarios")[2].partition("Client scenarios")[0]
    scenarios = re.findall(r"^  - (\S+)", servers, re.MULTILINE)
    excused = [name for name in scenarios if any(re.fullmatch(pattern, name) for pattern in DO_NOT_APPLY)]
    assert sorted(scenarios) == sorted(APPLY + excused)

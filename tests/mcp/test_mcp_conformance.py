"""The server scenarios of the protocol's conformance suite, in its current and its next version.

Answers of tools, prompts and completions are tested in test_mcp_calls.py, test_mcp_clients.py, test_mcp_prompts.py and
test_mcp_completion.py.
"""

import json
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.support import javascript
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint

pytestmark = pytest.mark.database("sqlite", "client libraries")

CURRENT = "@modelcontextprotocol/conformance"
NEXT = "conformance-authorization"
"""The newest version, an alpha. test_mcp_authorization_conformance.py runs its authorization scenarios."""

APPLY = {
    CURRENT: ["server-initialize", "ping", "tools-list", "prompts-list", "dns-rebinding-protection"],
    NEXT: [
        "server-initialize",
        "server-stateless",
        "ping",
        "tools-list",
        "prompts-list",
        "dns-rebinding-protection",
        "caching",
        "http-header-validation",
        "input-required-result-unsupported-methods",
    ],
}
"""The scenarios that apply, by version of the suite."""

BOTH = [(suite, name) for suite, names in APPLY.items() for name in names]
AGAIN = [(CURRENT, name) for name in ("ping", "prompts-list", "dns-rebinding-protection")]
AGAIN += [(NEXT, name) for name in ("server-initialize", "tools-list")]
"""Scenarios that the other version of the suite tests in the same way."""

DO_NOT_APPLY = {
    r"logging-set-level": "the server sends no log messages to clients, and says so in its capabilities",
    r"resources-.*|sep-2164-resource-not-found": "it has no resources, and says so",
    r"completion-complete|prompts-get-.*": "they ask for prompts that only the suite's own example server has",
    r"tools-call-.*|json-schema-2020-12": "they call tools that only the suite's own example server has",
    r"http-custom-header-server-validation": "no tool asks for arguments in headers",
    r"elicitation-.*|input-required-result-.*": "its tools and prompts ask the client nothing back",
    r"server-sse-.*|server-session-lifecycle": "it answers JSON and keeps no sessions: there is no stream to resume",
    r"tasks-.*": "it has no tasks, an extension of the protocol: calls are answered at once",
    r"sep-2640-.*": "it has no skills, an extension of the protocol",
}
"""The reason why a scenario does not apply."""

CHECKS_DO_NOT_APPLY = {
    r"sep-2549-resources-(templates-)?(list|read)-caching-hints": "it has no resources",
    r"sep-2575-server-rejects-undeclared-capability|sep-2575-missing-capability-http-400": (
        "no tool needs a capability of the client's; the suite calls one of its own example server"
    ),
    r"sep-2575-http-server-no-independent-requests-on-stream": "there are no streams, nor the suite's tool for it",
    r"sep-2575-server-no-log-without-loglevel": "it sends no log messages, and has not the suite's tool for it",
    r"sep-2575-server-(sends|tags|honors)-.*": "it has no subscriptions: its lists change with its version alone",
    r"server-session-id-visible-ascii": "it keeps no sessions",
}
"""The reason why a check within an applicable scenario may fail."""

FEWEST = {"server-stateless": 20, "caching": 5, "http-header-validation": 14}
"""Minimum number of successes of scenarios with such checks. Other scenarios need one."""


@cache
def scenarios(suite: str) -> list[str]:
    """The server scenarios that a version of the suite lists."""
    listed = javascript.run(f"node_modules/{suite}/dist/index.js", "list").stdout
    servers = listed.partition("Server scenarios")[2].partition("Client scenarios")[0]
    return re.findall(r"^  - (\S+)", servers, re.MULTILINE)


def matches(name: str, patterns: dict[str, str]) -> bool:
    """Return whether `name` has a reason among `patterns`."""
    return any(re.fullmatch(pattern, name) for pattern in patterns)


@pytest.mark.rest
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("suite", "scenario"),
    [
        pytest.param(*one, marks=pytest.mark.thorough("the other version of the suite tests the same"))
        if one in AGAIN
        else one
        for one in BOTH
    ],
)
def test_an_applicable_scenario_passes(
    live_server: Any, owner: RestEntryPoint, tmp_path: Path, suite: str, scenario: str
) -> None:
    """Read the result from the file that the suite writes, as its printed output is cut off if the pipe is full."""
    given = json.dumps({"url": f"{live_server.url}/mcp", "secret": owner.secret})
    done = javascript.run("conformance.mjs", suite, scenario, "--output-dir", str(tmp_path), given=given)
    [results] = tmp_path.rglob("checks.json")
    checks = json.loads(results.read_text())
    failed = [
        check for check in checks if check["status"] != "SUCCESS" and not matches(check["id"], CHECKS_DO_NOT_APPLY)
    ]
    assert failed == [], done.stderr
    assert Counter(check["status"] for check in checks)["SUCCESS"] >= FEWEST.get(scenario, 1)


@each("suite", APPLY)
def test_every_other_scenario_has_a_reason(suite: str) -> None:
    rest = sorted(set(scenarios(suite)) - set(APPLY[suite]))
    assert set(APPLY[suite]) <= set(scenarios(suite))
    assert [name for name in rest if not matches(name, DO_NOT_APPLY)] == []


def test_every_reason_refers_to_a_scenario() -> None:
    names = {name for suite in APPLY for name in scenarios(suite)}
    assert [pattern for pattern in DO_NOT_APPLY if not any(re.fullmatch(pattern, name) for name in names)] == []

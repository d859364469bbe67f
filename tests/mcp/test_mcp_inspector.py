"""The command line of the MCP Inspector against a live server."""

import json
import re
from subprocess import CompletedProcess
from typing import Any

import pytest

from mcpbridge.prompts import PROMPTS
from tests.support import javascript
from tests.support.entry_points import RestEntryPoint
from tests.support.world import TOOLS

pytestmark = [
    pytest.mark.database("sqlite", "client libraries"),
    pytest.mark.rest,
    pytest.mark.django_db(transaction=True),
]

INSPECTOR = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
TOOL_ERROR, NO_CREDENTIAL = 5, 3
"""Exit codes of the Inspector."""


@pytest.fixture
def inspect(live_server: Any, owner: RestEntryPoint, tmp_path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Runs the Inspector with a key of the owner."""
    monkeypatch.setenv("HOME", str(tmp_path))

    def run(*arguments: str, secret: str = owner.secret) -> CompletedProcess[str]:
        return javascript.run(
            INSPECTOR,
            "--cli",
            f"{live_server.url}/mcp",
            *("--transport", "http", "--header", f"Authorization: Bearer {secret}"),
            *arguments,
        )

    return run


def test_it_finds_every_tool_with_widely_supported_schemas(inspect) -> None:
    """A nullable field of an answer has a list of types, which is short. Clients only translate argument schemas."""
    done = inspect("--method", "tools/list", "--strict")
    nullable = re.findall(r"^  Path: outputSchema\.\S+\n  Issue: `type` is an array \(", done.stderr, re.MULTILINE)
    assert (done.returncode, done.stderr.count("Warning: ")) == (0, len(nullable))
    assert f"0 errors, {len(nullable)} warnings across" in done.stderr
    assert {tool["name"] for tool in json.loads(done.stdout)["tools"]} == set(TOOLS)


def test_it_calls_a_tool(inspect, owner: RestEntryPoint) -> None:
    done = inspect("--method", "tools/call", "--tool-name", "get_agenda", "--tool-arg", "days=7")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["structuredContent"] == owner.made("get_agenda", days=7)


def test_it_shows_the_message_of_a_failed_call(inspect) -> None:
    done = inspect("--method", "tools/call", "--tool-name", "get_course", "--tool-arg", "course_id=Biology")
    assert done.returncode == TOOL_ERROR
    assert "Call list_courses for a valid course_id." in json.loads(done.stdout)["content"][0]["text"]


def test_it_lists_and_shows_prompts(inspect, owner: RestEntryPoint) -> None:
    owner.made("create_course", name="Botany")
    done = inspect("--method", "prompts/list")
    assert {prompt["name"] for prompt in json.loads(done.stdout)["prompts"]} == set(PROMPTS), done.stderr
    done = inspect("--method", "prompts/get", "--prompt-name", "exam_check", "--prompt-args", "course=botany")
    assert done.returncode == 0, done.stderr
    [message] = json.loads(done.stdout)["messages"]
    assert '"Botany"' in message["content"]["text"]


def test_it_recognizes_that_a_credential_is_needed(inspect) -> None:
    done = inspect("--method", "tools/list", "--stored-auth-only", secret="svc_sk_wrong")
    assert done.returncode == NO_CREDENTIAL, done.stderr
    assert "auth" in done.stderr

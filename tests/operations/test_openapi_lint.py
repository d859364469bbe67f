"""Two linters that are not ours find nothing in /openapi.json; what they may not say has its reason beside the rule."""

import pytest

from tests.operations.test_baselines import OPENAPI
from tests.support import javascript

pytestmark = pytest.mark.once("the description, made from declarations")


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(
            ("@stoplight/spectral-cli/dist/index.js", "--ruleset", "spectral.yaml", "--fail-severity", "hint"),
            id="spectral",
        ),
        pytest.param(
            ("@redocly/cli/bin/cli.js", "--config", "redocly.yaml"),
            marks=pytest.mark.thorough("a second linter, which asks little that the first does not"),
            id="redocly",
        ),
    ],
)
def test_a_linter_finds_nothing(command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REDOCLY_TELEMETRY", "off")
    monkeypatch.setenv("REDOCLY_SUPPRESS_UPDATE_NOTICE", "true")
    linter, *options = command
    done = javascript.run(f"node_modules/{linter}", "lint", str(OPENAPI), *options)
    assert done.returncode == 0, done.stdout + done.stderr

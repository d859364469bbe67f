"""Two independent linters report nothing for /openapi.json. Each disabled rule states its reason."""

import pytest

from tests.operations.test_baselines import OPENAPI
from tests.support import javascript

pytestmark = pytest.mark.database("sqlite", "the description is built from declarations")


@pytest.mark.thorough("style of the description")
@pytest.mark.parametrize(
    "command",
    [
        ("@stoplight/spectral-cli/dist/index.js", "--ruleset", "spectral.yaml", "--fail-severity", "hint"),
        ("@redocly/cli/bin/cli.js", "--config", "redocly.yaml"),
    ],
    ids=["spectral", "redocly"],
)
def test_a_linter_reports_nothing(command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REDOCLY_TELEMETRY", "off")
    monkeypatch.setenv("REDOCLY_SUPPRESS_UPDATE_NOTICE", "true")
    linter, *options = command
    done = javascript.run(f"node_modules/{linter}", "lint", str(OPENAPI), *options)
    assert done.returncode == 0, done.stdout + done.stderr

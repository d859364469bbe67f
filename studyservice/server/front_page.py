"""The health panel of the operators' front page."""

from studyservice import __version__
from studyservice.admin.front_page import Answer, Row
from studyservice.server.health import readiness


def _rows() -> list[Row]:
    """Run the checks on the probes' own connection. Each failed part is a row."""
    down = [name.replace("_", " ") for name, well in readiness().items() if not well]
    if not down:
        return [Row(f"Healthy. Version {__version__}.")]
    return [Row(f"Down: {name}. Run checkinstall.", url="/docs/bad-days", bad=True) for name in down]


HEALTH = Answer("Is it healthy?", _rows)

"""Installs locked packages without the network, as links to the packages that run the tests."""

import re
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.markers import Marker

_PIN = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^ ;]+)(?: *; *([^\\]+?))? *\\?$", re.MULTILINE)


def install_locked(requirements: Path, site_packages: Path) -> None:
    """Link only the packages in `requirements` into `site_packages`.

    Raises:
        PackageNotFoundError: a package is not installed, or in another version.
    """
    for name, version, marker in _PIN.findall(requirements.read_text(encoding="utf-8")):
        if marker and not Marker(marker).evaluate():
            continue
        package = distribution(name)
        if package.version != version:
            raise PackageNotFoundError(f"{name} {version}; there is {package.version}")
        for file in package.files or ():
            if ".." in file.parts:  # programs, which are installed elsewhere
                continue
            link = site_packages / file
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(Path(file.locate()).resolve())

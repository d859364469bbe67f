"""Addresses of our own stand once, in the `urls.py` of their apps."""

import re
from pathlib import Path

import pytest
from django.conf import settings

TEMPLATES = sorted((settings.BASE_DIR / "templates").rglob("*.html"))
WRITTEN_OUT = re.compile(r'(?:href|action|src)="/[^"]*"')


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_no_template_writes_an_address_out(template: Path) -> None:
    assert WRITTEN_OUT.findall(template.read_text()) == []

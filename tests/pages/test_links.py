"""The service's own URLs are written only in the `urls.py` of its apps."""

import re
from pathlib import Path

import pytest
from django.conf import settings

from tests.support.cases import each

pytestmark = pytest.mark.database("sqlite", "links in templates")

TEMPLATES = sorted((settings.BASE_DIR / "templates").rglob("*.html"))
SCRIPTS = sorted((settings.BASE_DIR / "studyservice" / "static").rglob("*.js"))
WRITTEN_OUT = re.compile(r'(?:href|action|src)="/[^"]*"')


@each("template", TEMPLATES)
def test_no_template_contains_a_literal_url(template: Path) -> None:
    assert WRITTEN_OUT.findall(template.read_text()) == []


@each("script", SCRIPTS)
def test_no_script_contains_a_literal_url(script: Path) -> None:
    assert re.findall(r"[\"'`]/\w[^\"'`]*[\"'`]", script.read_text()) == []

"""The design of the pages: one stylesheet with values named by tokens, and a color for each course."""

import re
from pathlib import Path

import pytest

from courses.models import HUES
from tests.support.cases import each

pytestmark = pytest.mark.database("sqlite", "page layout")

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "studyservice/static/studyservice"
SHEET = (FOLDER / "pages.css").read_text()
LIGHT_TOKENS, DARK_TOKENS = (
    dict(re.findall(r"(--[\w-]+): ([^;]+);", block)) for block in re.findall(r":root \{(.*?)\n *\}", SHEET, re.DOTALL)
)
RULES = re.sub(r"/\*.*?\*/", "", re.sub(r":root \{.*?\n *\}", "", SHEET, flags=re.DOTALL), flags=re.DOTALL)


def luminance(color: str) -> float:
    """Relative luminance of a hexadecimal color (WCAG 2.2)."""
    digits = color[1:] if len(color) == 7 else "".join(digit * 2 for digit in color[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_there_is_one_stylesheet() -> None:
    """The admin has its own design."""
    assert sorted(file.name for file in FOLDER.glob("*.css")) == ["admin.css", "pages.css"]


@each(
    ("properties", "allowed"),
    [
        (r"font-size|font-family", r"var\(--[\w-]+\)( !important)?|inherit"),
        (r"border(?:-[a-z]+){0,2}-radius", r"(var\(--[\w-]+\)|0)( (var\(--[\w-]+\)|0))*"),
        (
            r"(?:background|background-color|color|fill|stroke|accent-color)",
            r"var\(--[\w-]+\)|none|transparent|inherit",
        ),
        (r"padding|margin(?:-\w+)?|gap", r"((calc\()?-?(var\(--[\w-]+\)|0|1px|auto)( \* -?\d+\))? ?)+( !important)?"),
    ],
)
def test_each_value_is_a_token(properties: str, allowed: str) -> None:
    declared = re.findall(rf"[;{{\n ]({properties}): ([^;]+);", RULES)
    assert len(declared) > 10
    assert [one for one in declared if not re.fullmatch(allowed, one[1])] == []
    assert re.findall(r"#[0-9a-f]{3,6}\b|rgb\(|oklch\(", RULES) == []


def test_each_token_is_used_and_explained() -> None:
    used = set(re.findall(r"var\((--[\w-]+)\)", SHEET))
    told = (ROOT / "docs/design.md").read_text()
    assert set(LIGHT_TOKENS) - used == set()
    assert used - set(LIGHT_TOKENS) == {"--hue"}
    assert [token for token in LIGHT_TOKENS if f"`{token}`" not in told and "--hue-" not in token] == []


@each("scheme", ["light", "dark"])
def test_text_in_every_token_is_readable(scheme: str) -> None:
    tokens = LIGHT_TOKENS | (DARK_TOKENS if scheme == "dark" else {})
    inks = ["--text", "--muted", "--accent", "--accent-strong", *(f"--hue-{hue}" for hue in range(HUES))]
    pairs = [(ink, ground) for ink in inks for ground in ("--ground", "--surface", "--sunken")]
    pairs += [(f"--{tone}", f"--{tone}-ground") for tone in ("accent", "good", "bad", "warn")]
    pairs += [("--on-accent", "--accent"), ("--on-accent", "--accent-strong")]
    weak = {pair: contrast(*(tokens[one] for one in pair)) for pair in pairs}
    assert {pair: ratio for pair, ratio in weak.items() if ratio < 4.5} == {}
    assert contrast(tokens["--edge"], tokens["--surface"]) >= 3


def test_the_stylesheet_has_a_class_for_each_color_of_courses() -> None:
    for hue in range(HUES):
        assert f".hue-{hue} {{ --hue: var(--hue-{hue}); }}" in SHEET

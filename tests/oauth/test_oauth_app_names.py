"""App names from registrations and documents (UTS 39)."""

from typing import Any

import pytest

from tests.support.cases import each
from tests.support.oauth import App, Browser, error_of, register

pytestmark = [pytest.mark.django_db, pytest.mark.database("sqlite", "other tests send the same statements")]


@each(
    "name",
    [
        "Planner",
        "C-3PO",
        "Café ☕ Notes",
        "Claude Code (Study Data Service)",
        "学习助手 GPT",
        "學習ㄅㄆㄇ Notes",
        "べんきょうノート AI",
        "単語カード PRO",
        "단어장 Claude",
        "單語 단어장",
        "Учебник 5",
        "Το πρόγραμμα",
        "مخطط",
        "अध्ययन",
        "Übungs-App für Zoë",
        "🎓 2027",
    ],
)
def test_a_readable_name_is_accepted(name: str) -> None:
    assert register(client_name=name).json()["client_name"] == name


@each(
    ("given", "taken"),
    [
        ("Ｐｌａｎｎｅｒ", "Planner"),
        ("ﬁle\u00a0planner", "file planner"),
        ("  Planner   of\u2003days ", "Planner of days"),
        ("Ze\u0301ro", "Zéro"),
        ("Anki \u2764\ufe0f", "Anki \u2764"),
    ],
)
def test_it_is_shown_normalized(given: str, taken: str, owner_member: Any) -> None:
    """NFKC, with single spaces."""
    app = App.registered(client_name=given)
    assert app.registration["client_name"] == taken
    assert taken in Browser(owner_member).visit(app.query()).content.decode()


@each(
    "name",
    [
        "\u3164",
        "\u2800",
        "\u115f",
        "\u115fA",
        "A\u3164B",
        "A\u2800B",
        "Claude\u200b",
        "Clau\u00adde",
        "Claude\U000e0041",
        "Claude\u034f",
        "Claude\u2028",
        "Claude\ue000",
        "Claude\U0003fffd",
        "\u202eedualC",
    ],
)
def test_invisible_characters_are_rejected(name: str) -> None:
    assert error_of(register(client_name=name)) == (400, "invalid_client_metadata")


@each("name", ["...", "★★★", "🎓", "\u0301", "-", "a" + "\u0330\u0331\u0332\u0333\u0334"])
def test_unreadable_names_are_rejected(name: str) -> None:
    assert error_of(register(client_name=name)) == (400, "invalid_client_metadata")


@each(
    "name",
    [
        "\u0421laude",  # begins with a Cyrillic letter
        "G\u03bfogle",  # with a Greek omicron
        "Ch\u0430tGPT",
        "Cl\u0251ude \u0454",
        "\u0563oogle",
        "Планер \u03bf",
        "단어장 ひらがな",
        "학습 Учебник",
        "ㄅㄆㄇ かな",
    ],
)
def test_mixed_scripts_are_rejected(name: str) -> None:
    assert error_of(register(client_name=name)) == (400, "invalid_client_metadata")


@each(
    "name",
    ["Study Data Service", "study data  service", "StudyDataService", "Study-Data Service!", "Ｓtudy Data Service"],
)
def test_the_name_of_this_service_is_rejected(name: str) -> None:
    assert error_of(register(client_name=name)) == (400, "invalid_client_metadata")


def test_length_is_measured_after_normalization() -> None:
    """One character that NFKC expands to eighteen."""
    assert error_of(register(client_name="\ufdfa" * 7)) == (400, "invalid_client_metadata")

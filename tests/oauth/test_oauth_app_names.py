"""App names from registrations and documents (UTS 39)."""

from typing import Any

import pytest
from django.test import Client

from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.oauth import App, Browser, error_of, register

pytestmark = [pytest.mark.django_db, pytest.mark.same_statements]


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
def test_a_name_of_mixed_scripts_is_shown_as_the_host_of_its_callback(name: str, owner_member: Any) -> None:
    app = App.registered(client_name=name, redirect_uris=["https://notes.example/cb", "https://other.example/cb"])
    assert app.registration["client_name"] == "notes.example"
    page = Browser(owner_member).visit(app.query()).content.decode()
    assert ("“notes.example”" in page, "Name not shown" in page, "Name not verified" in page) == (True, True, False)
    assert name not in page


def test_with_a_private_callback_it_is_shown_as_the_scheme() -> None:
    given = {"client_name": "\u0421laude", "redirect_uris": ["com.example.notes:/cb"]}
    assert register(**given).json()["client_name"] == "com.example.notes"


def test_the_key_page_and_changes_show_the_host(owner_member: Any) -> None:
    app = App.registered(client_name="\u0421laude", redirect_uris=["https://notes.example/cb"])
    entry_point = RestEntryPoint(app.connect(owner_member)["access_token"])
    entry_point.made("create_course", name="Cell Biology")
    assert entry_point.made("list_changes")["data"][0]["by"]["name"] == "notes.example"
    page = Browser(owner_member).client.get("/keys").content.decode()
    assert ("<h3>notes.example</h3>" in page, "name not shown" in page) == (True, True)


def test_the_activity_page_says_whose_name_is_not_shown(owner_member: Any) -> None:
    for name, host in (("\u0421laude", "notes.example"), ("Planner", "planner.example")):
        app = App.registered(client_name=name, redirect_uris=[f"https://{host}/cb"])
        RestEntryPoint(app.connect(owner_member)["access_token"]).made("create_course", name="Cell Biology")
    page = Browser(owner_member).client.get("/activity").content.decode()
    assert page.count("name not shown") == 1
    assert page.index("Planner <") < page.index("notes.example <") < page.index("name not shown")


def test_signing_in_says_where_it_leads_without_the_name(client: Client) -> None:
    app = App.registered(client_name="\u0421laude", redirect_uris=["https://notes.example/cb"])
    page = client.get(f"/oauth/authorize?{app.query()}", follow=True).content.decode()
    assert "You are about to connect <strong" in page
    assert ("name not shown" in page, "which calls itself" in page) == (True, False)


@each("name", ["\u0421laude\u200b", "\u0421" * 60 + "a" * 61])
def test_a_name_of_mixed_scripts_that_breaks_another_rule_is_rejected(name: str) -> None:
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

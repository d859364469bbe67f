"""Every page and every machine-readable description names the operators."""

import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import Member
from studyservice.templatetags.site import NAVIGATION
from tests.support.cases import each

LINKS = {
    "CONTACT_URL": "mailto:help@example.org",
    "PRIVACY_URL": "https://example.org/privacy",
    "TERMS_URL": "https://example.org/terms",
}

pytestmark = [pytest.mark.rest, pytest.mark.django_db, pytest.mark.same_statements]


@pytest.mark.parametrize("path", ["/", "/sign-in", "/docs", "/nowhere"])
def test_a_page_links_only_what_the_operators_configured(client: Client, settings: Any, path: str) -> None:
    def footer() -> str:
        found = re.search("<footer.*</footer>", client.get(path).content.decode(), re.DOTALL)
        assert found is not None
        return found.group()

    assert "example.org" not in footer()
    for name, url in LINKS.items():
        setattr(settings, name, url)
        assert f'href="{url}"' in footer()


@pytest.mark.parametrize(
    ("sign_up", "sentence"),
    [
        ("closed", "Only the people who run this service create accounts"),
        ("invited", "You need an invitation"),
        ("open", "We create an account for your address"),
    ],
)
def test_a_visitor_learns_how_to_get_an_account(client: Client, settings: Any, sign_up: str, sentence: str) -> None:
    settings.SIGN_UP = sign_up
    page = client.get("/sign-in").content.decode()
    assert f"New here? {sentence}" in page
    settings.CONTACT_URL = LINKS["CONTACT_URL"]
    main = client.get("/sign-in").content.decode().partition("<main")[2].partition("</main>")[0]
    assert (LINKS["CONTACT_URL"] in main) == (sign_up != "open")


def test_the_authorization_server_names_the_operators(client: Client, settings: Any) -> None:
    """RFC 8414 section 2: `op_policy_uri` and `op_tos_uri`, left out if not configured."""
    path = "/.well-known/oauth-authorization-server"
    assert not {"op_policy_uri", "op_tos_uri"} & set(client.get(path).json())
    settings.PRIVACY_URL, settings.TERMS_URL = LINKS["PRIVACY_URL"], LINKS["TERMS_URL"]
    document = client.get(path).json()
    assert (document["op_policy_uri"], document["op_tos_uri"]) == (LINKS["PRIVACY_URL"], LINKS["TERMS_URL"])


@each(
    ("path", "marked"),
    [
        ("/courses", '<a href="/courses" aria-current="page">Courses</a>'),
        ("/courses/new", '<a href="/courses" aria-current="true">Courses</a>'),
        ("/docs/quickstart", '<a href="/docs/guides" aria-current="true">Guides</a>'),
        ("/", '<a href="/" aria-current="page">Week</a>'),
        ("/keys", '<a href="/keys" aria-current="page">Keys and apps</a>'),
        ("/activity/account", '<a href="/activity" aria-current="true">Activity</a>'),
    ],
)
def test_the_menu_marks_the_current_page(client: Client, owner_member: Member, path: str, marked: str) -> None:
    client.force_login(owner_member)
    header = client.get(path).content.decode().split("</header>")[0]
    assert marked in header
    assert header.count("aria-current") == 1


def test_a_member_has_a_short_navigation_and_an_account_menu(client: Client, owner_member: Member) -> None:
    client.force_login(owner_member)
    header = client.get("/").content.decode().partition("<header")[2].partition("</header>")[0]
    navigation, menu = (re.findall(r"<(?:a|button)[^>]*>([^<]+)</", part) for part in header.split("<details"))
    assert navigation == ["Week", "Upcoming", "Courses", "Study", "Decks"]
    assert menu == ["Profile", "Activity", "Keys and apps", "School calendars", "Guides", "Sign out"]


def test_each_navigation_entry_leads_to_a_page(client: Client, owner_member: Member) -> None:
    client.force_login(owner_member)
    for name, *_ in NAVIGATION:
        assert client.get(reverse(name)).status_code == 200, name

"""Signing in with a real identity provider: `oidc-provider`, in a process of its own."""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpx2
import pytest
from django.test import Client

from accounts.models import Member
from tests.support.identity_server import RETURN
from tests.support.oidc_provider import oidc_provider
from tests.support.signing_in import signed_in

pytestmark = [pytest.mark.database("sqlite", "another program"), pytest.mark.usefixtures("member")]

Start = Callable[[str, str], None]


@pytest.fixture
def start(settings: Any) -> Iterator[Start]:
    """Starts a provider to which the service sends its secret in this way, and with the claims in this place."""
    with ExitStack() as stack:

        def begin(method: str, place: str) -> None:
            settings.IDENTITY_PROVIDER = stack.enter_context(oidc_provider(settings.BASE_URL, method, place))

        yield begin


def came_back(begun: Any, name: str) -> str:
    """Sign in at the provider under this name, and consent. Return the path and query that it sends the browser to."""
    url: str = begun.headers["Location"]
    with httpx2.Client() as browser:
        while RETURN not in url:
            page = browser.get(url)
            if page.is_redirect:
                url = urljoin(url, page.headers["Location"])
            else:
                [prompt] = re.findall(r'name="prompt" value="(\w+)"', page.text)
                [action] = re.findall(r'action="([^"]+)"', page.text)
                given = {"prompt": prompt, "login": name, "password": "any"}
                url = urljoin(url, browser.post(urljoin(url, action), data=given).headers["Location"])
    return urlsplit(url)._replace(scheme="", netloc="").geturl()


@pytest.mark.parametrize("place", ["userinfo", "token"])
@pytest.mark.parametrize("method", ["client_secret_basic", "client_secret_post"])
def test_a_member_signs_in(client: Client, start: Start, member: Member, method: str, place: str) -> None:
    start(method, place)
    Member.objects.filter(id=member.id).update(membership_active=False)
    returned = came_back(client.get("/sign-in/oidc"), "ada")
    assert "&iss=" in returned  # which its discovery document promises
    assert client.get(returned).headers["Location"] == "/"
    assert signed_in(client)
    member.refresh_from_db()
    assert member.membership_active
    assert client.get(returned).status_code == 400


def test_an_unverified_address_does_not_come_in(client: Client, start: Start, make_member: Any) -> None:
    make_member("unverified-ada@example.org")
    start("client_secret_basic", "userinfo")
    returned = came_back(client.get("/sign-in/oidc"), "unverified-ada")
    assert client.get(returned).status_code == 403


def test_a_code_that_was_used_is_400(client: Client, start: Start, member: Member) -> None:
    """The provider accepts it once."""
    start("client_secret_basic", "userinfo")
    returned = came_back(client.get("/sign-in/oidc"), "ada")
    client.get(returned)
    other = Client()
    fresh = came_back(other.get("/sign-in/oidc"), "ada")
    code, used = (re.findall(r"code=([^&]+)", text)[0] for text in (fresh, returned))
    assert other.get(fresh.replace(code, used)).status_code == 400

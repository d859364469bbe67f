"""Statements outside of operations name the member too: of apps, deletions and repairs."""

import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from accounts.credentials.keys import end_feed, new_feed, resolve_feed
from accounts.credentials.owners import owner_of
from accounts.erasure.erasing import erase_member
from accounts.models import ApiKey, Member, SecretOwner
from oauthserver.connections import connected_apps, disconnect
from studyservice.models import Change
from studyservice.secrets.generated import sha256
from tests.server.test_database_rules import owned_rows
from tests.support.factories import MemberFactory
from tests.support.oauth import App, Browser, status_of
from tests.support.statements import named

pytestmark = pytest.mark.django_db


def test_statements_on_an_apps_tokens_name_the_member(owner_member: Member) -> None:
    app = App.registered()
    browser = Browser(owner_member)
    browser.visit(app.query())
    with named():
        code = re.search("code=([^&]+)", browser.decide(app.query()).headers["Location"])
        assert code is not None
        tokens = app.exchange(code[1]).json()
        assert status_of(tokens["access_token"]) == 200
        again = app.refresh(tokens["refresh_token"]).json()
        assert app.refresh(tokens["refresh_token"]).status_code == 400  # recorded as reused
        assert app.revoke(again["access_token"]).status_code == 200
        assert status_of(again["access_token"]) == 401
        assert [one.name for one in connected_apps(owner_member)] == ["Planner"]
        assert app.revoke(again["refresh_token"]).status_code == 200
        assert connected_apps(owner_member) == []


def test_statements_on_a_stolen_token_and_a_disconnection_name_the_member(owner_member: Member) -> None:
    app = App.registered()
    tokens, others = app.connect(owner_member), app.connect(owner_member)
    again = app.refresh(tokens["refresh_token"]).json()
    with time_machine.travel(timezone.now() + timedelta(minutes=2)), named():
        assert app.refresh(tokens["refresh_token"]).status_code == 400
        assert status_of(again["access_token"]) == 401
        [connected] = connected_apps(owner_member)
        disconnect(owner_member, connected.id)
        assert status_of(others["access_token"]) == 401
    assert not SecretOwner.objects.filter(id__in=[sha256(one["access_token"])[:32] for one in (again, others)]).exists()


def test_statements_on_a_calendar_feed_name_the_member(owner_member: Member) -> None:
    with named():
        secret = new_feed(owner_member).rpartition("/")[2].removesuffix(".ics")
        assert resolve_feed(secret) is not None
        assert end_feed(owner_member.id)
        assert resolve_feed(secret) is None
    assert not SecretOwner.objects.filter(member=owner_member).exists()


def test_statements_on_keys_of_the_page_name_the_member(client: Client, owner_member: Member) -> None:
    client.force_login(owner_member)
    client.get("/keys")
    with named():
        assert client.post("/keys", {"name": "Script", "expires": "never"}).status_code < 400
        key = ApiKey.objects.get(member=owner_member, name="Script")
        assert owner_of(key.secret_hash) == owner_member.id


def test_statements_of_a_purge_name_the_member(settings: Any, tmp_path: Path) -> None:
    """Expired rows are searched among all members, but deleted per member."""
    settings.MEDIA_ROOT = tmp_path
    members = [MemberFactory.create(), MemberFactory.create()]
    for member in members:
        owned_rows(member)
    with time_machine.travel(timezone.now() + timedelta(days=400)), named(reads=False):
        call_command("purgeexpired", verbosity=0)
    assert not Change.objects.filter(member__in=members, created_at__lt=timezone.now() - timedelta(days=91)).exists()


@pytest.mark.database("postgresql")  # SQLite finds a batch faster by ids only
@pytest.mark.django_db(transaction=True)
def test_statements_of_an_erasure_name_the_member() -> None:
    member = MemberFactory.create()
    owned_rows(member)
    with named():
        assert erase_member(member.id)
    assert not Member.objects.filter(id=member.id).exists()

"""API keys: creation, storage and use (spec, API keys). Their page is tested in test_key_page."""

import hashlib
import logging
import re
from io import StringIO
from typing import Any

import pytest
import time_machine
from django.core.management import call_command
from django.db import DatabaseError, connection
from django.test import Client

from accounts.models import Member
from tests.conftest import MakeKey
from tests.support.entry_points import RestEntryPoint


def test_a_key_is_256_random_bits_behind_the_prefix(owner_member: Member, make_key: MakeKey) -> None:
    secrets = [make_key(owner_member)[0] for _ in range(2)]
    assert [re.fullmatch(r"svc_sk_[\w-]{43}", secret) is not None for secret in secrets] == [True, True]
    assert secrets[0] != secrets[1]


def test_only_its_sha_256_is_stored(owner_member: Member, make_key: MakeKey) -> None:
    secret, _ = make_key(owner_member)
    stored = StringIO()
    call_command("dumpdata", stdout=stored)
    assert hashlib.sha256(secret.encode()).hexdigest() in stored.getvalue()
    assert secret not in stored.getvalue()
    assert secret.removeprefix("svc_sk_") not in stored.getvalue()


def test_the_page_shows_the_last_use_within_five_minutes(
    client: Client, owner_member: Member, make_key: MakeKey
) -> None:
    """Not every call writes the time: it is updated once it is older than that."""
    entry_point = RestEntryPoint(make_key(owner_member)[0])
    shown = []
    with time_machine.travel("2026-11-21T12:00:00Z", tick=False) as clock:
        client.force_login(owner_member)
        for time in ("12:00:00", "12:05:00", "12:05:01", "12:05:02"):
            clock.move_to(f"2026-11-21T{time}Z")
            entry_point.made("get_me")
            [key] = client.get("/keys").context["active"]
            shown.append(f"{key.last_used_at:%H:%M:%S}")
    assert shown == ["12:00:00", "12:00:00", "12:05:01", "12:05:01"]


@pytest.mark.django_db(transaction=True)
def test_an_unrecordable_use_is_logged_and_the_call_answered(
    owner_member: Member, make_key: MakeKey, caplog: pytest.LogCaptureFixture
) -> None:
    """As on a full disk or a standby server."""
    entry_point = RestEntryPoint(make_key(owner_member)[0])

    def refuse(execute: Any, sql: str, *rest: Any) -> Any:
        if sql.startswith("UPDATE"):
            raise DatabaseError("read-only")
        return execute(sql, *rest)

    with connection.execute_wrapper(refuse):
        assert entry_point.made("get_me")["email"] == owner_member.email
    assert [record.message for record in caplog.records if record.levelno == logging.ERROR] == [
        "The use of accounts.ApiKey could not be recorded",
        "The network of an API key could not be recorded",
    ]

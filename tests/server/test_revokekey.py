"""`revokekey`: by the whole key or its id, at once, and without repeating it."""

import io
from typing import Any

import pytest

from accounts.events import AccountEvent
from accounts.models import ApiKey, Member
from tests.conftest import MakeKey
from tests.support.cases import each
from tests.support.commands import refusal, run, run_json
from tests.support.entry_points import RestEntryPoint
from tests.support.oauth import App

pytestmark = pytest.mark.django_db


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Puts text on standard input."""
    return lambda text: monkeypatch.setattr("sys.stdin", io.StringIO(text))


def test_it_revokes_by_the_whole_key(owner_member: Member, make_key: MakeKey) -> None:
    secret, key = make_key(owner_member, "Calendar")
    assert run_json("revokekey", secret) == {"id": str(key.id), "email": owner_member.email, "name": "Calendar"}
    assert RestEntryPoint(secret).call("get_me").error == "unauthorized"


def test_it_revokes_by_the_id(owner_member: Member, make_key: MakeKey) -> None:
    secret, key = make_key(owner_member, "Calendar")
    run("revokekey", str(key.id).upper())
    assert RestEntryPoint(secret).call("get_me").error == "unauthorized"


def test_it_reads_a_key_from_standard_input(owner_member: Member, make_key: MakeKey, typed: Any) -> None:
    secret, key = make_key(owner_member, "Calendar")
    typed(f"{secret}\n")
    assert run("revokekey", "-") == f"The API key Calendar of {owner_member.email} is revoked. It no longer works.\n"
    key.refresh_from_db()
    assert key.state() == "revoked"


def test_twice_is_once(owner_member: Member, make_key: MakeKey) -> None:
    secret, key = make_key(owner_member)
    first = run_json("revokekey", secret)
    at = ApiKey.objects.get(id=key.id).revoked_at
    assert run_json("revokekey", secret) == first
    assert ApiKey.objects.get(id=key.id).revoked_at == at
    [event] = AccountEvent.objects.filter(kind="key_revoked")
    assert (event.by_kind, event.by_name) == ("command", "revokekey")


@each("cut", [slice(0, -1), slice(1, None), slice(0, 11), slice(0, 0)])
def test_part_of_a_key_is_none(owner_member: Member, make_key: MakeKey, cut: slice) -> None:
    secret, key = make_key(owner_member)
    message = refusal("revokekey", secret[cut])
    assert message.startswith("There is no API key with this text or id.")
    assert secret[10:-1] not in message
    assert ApiKey.objects.get(id=key.id).state() == "active"


@each("text", ["00000000-0000-4000-8000-000000000000", "schlüssel", "\udcff", "svc_sk_" + "x" * 100_000, "a\x00b"])
def test_an_unknown_text_is_refused_without_repeating_it(text: str) -> None:
    message = refusal("revokekey", text)
    assert message.startswith("There is no API key")
    assert text not in message


def test_a_token_is_not_a_key(owner_member: Member) -> None:
    tokens = App.registered().connect(owner_member)
    assert refusal("revokekey", tokens["access_token"]).startswith("There is no API key")


def test_no_output_has_the_key(owner_member: Member, make_key: MakeKey, capfd: pytest.CaptureFixture[str]) -> None:
    secret, _ = make_key(owner_member)
    printed = run("revokekey", secret) + run("revokekey", secret, "--json")
    shown = capfd.readouterr()
    assert secret not in printed + shown.out + shown.err

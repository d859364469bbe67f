"""The key page without a browser."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
import time_machine
from django.db.models.signals import post_init
from django.test import Client
from django.utils import timezone

from accounts.credentials.keys import MAX_ACTIVE_KEYS, active_keys
from accounts.models import ApiKey, Member
from accounts.pages.keys import MAX_PAST_KEYS
from tests.support.bulk import insert
from tests.support.cases import each

pytestmark = pytest.mark.same_statements

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def add_ended(member: Member, number: int) -> None:
    """Revoked keys, each ended a minute after the one before."""
    now = timezone.now()
    insert(
        ApiKey,
        (
            {
                "id": uuid4(),
                "member_id": member.id,
                "name": f"Ended {place}",
                "secret_hash": f"{place}",
                "hint": "x",
                "may_write": True,
                "created_at": now - timedelta(minutes=number - place),
                "revoked_at": now,
            }
            for place in range(number)
        ),
    )


@pytest.fixture
def loaded() -> Iterator[list[ApiKey]]:
    """The keys read from the database."""
    found: list[ApiKey] = []

    def note(instance: ApiKey, **_: Any) -> None:
        found.append(instance)

    post_init.connect(note, ApiKey)
    yield found
    post_init.disconnect(note, ApiKey)


@pytest.fixture
def member(owner_member: Member, client: Client) -> Member:
    client.force_login(owner_member)
    return owner_member


def create(client: Client, **fields: str) -> Any:
    return client.post("/keys", {"name": "Script", "expires": "never"} | fields)


def test_it_requires_signing_in(client: Client, db: None) -> None:
    response = client.get("/keys")
    assert (response.status_code, response.headers["Location"]) == (302, "/sign-in?next=/keys")


@each(("choice", "days"), [("30", 30), ("60", 60), ("90", 90), ("180", 180), ("365", 365)])
def test_a_key_expires_as_chosen(client: Client, member: Member, choice: str, days: int) -> None:
    with time_machine.travel(NOW, tick=False):
        create(client, expires=choice)
    assert ApiKey.objects.get().expires_at == NOW + timedelta(days=days)


@pytest.mark.parametrize("prefix", ["s", "svc", "twelveletter"])
def test_a_key_is_identified_by_its_visible_part(client: Client, member: Member, settings: Any, prefix: str) -> None:
    settings.CREDENTIAL_PREFIX = prefix
    secret = create(client).context["secret"]
    start = len(f"{prefix}_sk_") + 4
    shown = f'<code class="key-hint">{secret[:start]}…{secret[-4:]}</code>'
    assert shown in client.get("/keys").content.decode()


def test_a_key_may_never_expire(client: Client, member: Member) -> None:
    create(client)
    assert ApiKey.objects.get().expires_at is None


@each(("form", "may_write"), [({}, False), ({"may_write": "on"}, True)])
def test_a_key_can_write_only_if_chosen(client: Client, member: Member, form: dict[str, str], may_write: bool) -> None:
    create(client, **form)
    assert ApiKey.objects.get().may_write is may_write


@pytest.mark.database("both")
@each(
    ("form", "message"),
    [
        ({"name": " "}, "Enter a name for the key."),
        ({"name": "n" * 61}, "Use at most 60 characters."),
        ({"name": "nul\x00"}, "Null characters are not allowed."),
        ({"expires": "31"}, "Choose one of the listed times."),
        ({"expires": ""}, "Choose when it expires."),
    ],
)
def test_an_invalid_form_shows_how_to_fix_it(
    client: Client, member: Member, form: dict[str, str], message: str
) -> None:
    response = create(client, **form)
    assert (response.status_code, ApiKey.objects.count()) == (422, 0)
    assert message in response.content.decode()


def test_the_secret_is_in_one_uncacheable_answer(client: Client, member: Member) -> None:
    response = create(client)
    key = ApiKey.objects.get()
    beginning = key.hint.partition("…")[0]
    assert response.content.decode().count(beginning) == 3  # the secret, the curl line, the visible part in the list
    assert "no-store" in response.headers["Cache-Control"]
    assert client.get("/keys").content.decode().count(beginning) == 1


def test_a_name_is_shown_as_text(client: Client, member: Member) -> None:
    page = create(client, name="<script>alert(1)</script>").content.decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page


def test_states_are_distinguished(client: Client, member: Member, make_key: Any) -> None:
    with time_machine.travel(NOW - timedelta(days=400)):
        make_key(member, "Old", expires_days=30)
    make_key(member, "Live")
    revoked = make_key(member, "Gone")[1]
    client.post(f"/keys/{revoked.id}/revoke")
    context = client.get("/keys").context
    assert [(key.name, key.state()) for key in context["active"]] == [("Live", "active")]
    assert [(key.name, key.state()) for key in context["past"]] == [("Gone", "revoked"), ("Old", "expired")]


def test_revoking_asks_first(client: Client, member: Member, make_key: Any) -> None:
    key = make_key(member, "Script")[1]
    assert "Revoke “Script”?" in client.get(f"/keys/{key.id}/revoke").content.decode()
    assert active_keys(member).count() == 1


def test_revoking_twice_keeps_the_first_time(client: Client, member: Member, make_key: Any) -> None:
    key = make_key(member, "Script")[1]
    client.post(f"/keys/{key.id}/revoke")
    first = ApiKey.objects.get().revoked_at
    assert client.post(f"/keys/{key.id}/revoke").headers["Location"] == "/keys"
    assert client.get(f"/keys/{key.id}/revoke").status_code == 302
    assert ApiKey.objects.get().revoked_at == first


def test_another_members_key_is_not_found(client: Client, member: Member, make_member: Any, make_key: Any) -> None:
    """Spec, rule 1: another member's object looks like one that does not exist."""
    key = make_key(make_member(), "Theirs")[1]
    assert client.get(f"/keys/{key.id}/revoke").status_code == 404
    assert client.post(f"/keys/{key.id}/revoke").status_code == 404
    assert active_keys(key.member).count() == 1


def test_an_unconnected_app_is_not_found(client: Client, member: Member) -> None:
    address = f"/keys/apps/{member.id}/disconnect"
    assert (client.get(address).status_code, client.post(address).status_code) == (404, 404)


def test_it_loads_active_keys_and_the_newest_ended_ones(
    client: Client, member: Member, make_key: Any, loaded: list[ApiKey]
) -> None:
    """However many there are."""
    add_ended(member, 1000)
    for number in range(10):
        make_key(member, f"Live {number}")
    loaded.clear()
    context = client.get("/keys").context
    assert len(loaded) <= MAX_ACTIVE_KEYS + MAX_PAST_KEYS
    assert [key.name for key in context["active"]] == [f"Live {number}" for number in reversed(range(10))]
    assert [key.name for key in context["past"]] == [f"Ended {999 - place}" for place in range(MAX_PAST_KEYS)]


@pytest.mark.database("both")
def test_the_21st_new_key_in_an_hour_is_rejected(client: Client, member: Member) -> None:
    for number in range(20):
        create(client, name=f"{number}")
        ApiKey.objects.filter(revoked_at=None).update(revoked_at=timezone.now())
    refused = create(client, name="One more")
    assert (refused.status_code, ApiKey.objects.count()) == (429, 20)
    assert 0 < int(refused.headers["Retry-After"]) <= 3600
    page = refused.content.decode()
    assert "Too many new keys" in page
    assert "then try again" in page
    assert client.get("/keys").status_code == 200


def test_only_valid_forms_count_as_new_keys(client: Client, member: Member) -> None:
    for _ in range(25):
        assert create(client, name="").status_code == 422
    assert "Your new key" in create(client).content.decode()


@pytest.mark.database("both")
def test_the_rate_is_per_member_and_only_for_the_page(
    client: Client, member: Member, make_member: Any, make_key: Any
) -> None:
    for number in range(21):
        create(client, name=f"{number}")
    other = Client()
    other.force_login(make_member())
    assert create(other).status_code == 200
    ApiKey.objects.filter(member=member).update(revoked_at=timezone.now())
    assert make_key(member, "By the command")[1].state() == "active"


@pytest.mark.database("both")
@pytest.mark.django_db(transaction=True)
def test_parallel_creation_at_nine_leaves_ten(client: Client, member: Member, make_key: Any, in_threads: Any) -> None:
    """Spec, Limits: 10 active API keys, under concurrency too (decisions 6)."""
    for number in range(9):
        make_key(member, f"Key {number}")
    cookie = client.cookies["sessionid"].value

    def try_it(number: int) -> bool:
        browser = Client()
        browser.cookies["sessionid"] = cookie
        return "Your new key" in create(browser, name=f"New {number}").content.decode()

    created = in_threads(try_it, list(range(8)))
    assert (active_keys(member).count(), sorted(created)) == (10, [False] * 7 + [True])

"""Rows that every seed needs, added by COPY: two million of them take one minute instead of ten."""

import random
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from hashlib import sha256 as hashed
from itertools import islice
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Model

from accounts.credentials.owners import id_of
from accounts.models import ApiKey, Member, MemberAddress, SecretOwner
from courses.models import SyllabusFile
from oauthserver.client_metadata import AuthMethod
from oauthserver.models import AccessToken, Application, Grant, RefreshToken
from studyservice.secrets.generated import new_secret, sha256
from tools.bench.cast import CALLBACK, CARDS, CLIENT_ID, SYLLABUS
from vocab.models import Card, Deck

chance = random.Random(7)  # noqa: S311  # data for measuring, the same every time


_AT_ONCE = 50_000
"""Rows of one COPY: a slow disk answers in the time that the service allows a statement."""


def new_id() -> UUID:
    """Return a new id, the same in every run."""
    return UUID(int=chance.getrandbits(128), version=4)


def copy(model: type[Model], rows: Iterable[Model]) -> None:
    """Add `rows` to the table of `model`, using COPY on PostgreSQL."""
    if connection.vendor == "sqlite":
        model._meta.base_manager.bulk_create(rows)
        return
    fields = model._meta.local_concrete_fields
    columns = ", ".join(f'"{field.column}"' for field in fields)
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 0")  # on a busy machine a table takes longer than a call may
    remaining = iter(rows)
    while batch := list(islice(remaining, _AT_ONCE)):
        statement = f'COPY "{model._meta.db_table}" ({columns}) FROM STDIN'
        with connection.cursor() as cursor, cursor.copy(statement) as stream:
            for row in batch:
                stream.write_row([getattr(row, field.attname) for field in fields])


def copy_members(members: Iterable[Member]) -> None:
    """Add members with their addresses."""
    rows = list(members)
    copy(Member, rows)
    copy(MemberAddress, (MemberAddress(email=row.email, member_id=row.id) for row in rows))


def add_keys(members: Sequence[UUID], used_at: datetime | None) -> list[str]:
    """Add an API key for each entry of `members`. Return the plaintexts."""
    secrets = [new_secret("sk") for _ in members]
    # the same as after calls of the benchmark
    given = {"name": "bench", "last_used_at": used_at, "networks": "127.0.0.0/24"}
    rows = (
        ApiKey(id=new_id(), member_id=member, secret_hash=sha256(key), hint=key[:11], **given)
        for member, key in zip(members, secrets, strict=True)
    )
    copy(ApiKey, rows)
    _add_owners(zip(secrets, members, strict=True))
    return secrets


def _add_owners(secrets: Iterable[tuple[str, UUID]]) -> None:
    copy(SecretOwner, (SecretOwner(id=id_of(sha256(secret)), member_id=member) for secret, member in secrets))


def connect(members: Sequence[UUID], tokens_each: int, now: datetime) -> dict[UUID, list[str]]:
    """Add a public client, and connections with a pair of live tokens each. Return the refresh tokens."""
    app = Application.objects.create(
        client_id=CLIENT_ID,
        name="Bench",
        redirect_uris=CALLBACK,
        client_type=Application.CLIENT_PUBLIC,
        token_endpoint_auth_method=AuthMethod.NONE,
        authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE,
        registration_source=Application.RegistrationSource.DCR,
        first_token_at=now,
    )
    tokens = {member: [new_secret("rt") for _ in range(tokens_each)] for member in members}
    given = {"application_id": app.pk, "scope": "read write", "created": now, "updated": now}
    hour, days = now + timedelta(hours=1), now + timedelta(days=60)
    consents, access, refresh = [], [], []
    code = {"redirect_uri": CALLBACK, "code_challenge": "c" * 43, "code_challenge_method": Grant.CODE_CHALLENGE_S256}
    for member, secret in ((member, secret) for member, secrets in tokens.items() for secret in secrets):
        given |= {"user_id": member, "token_family": new_id()}
        pair = AccessToken(id=new_id(), token_checksum=sha256(new_secret("at")), expires=hour, **given)
        token = RefreshToken(id=new_id(), token_checksum=sha256(secret), expires=days, access_token=pair, **given)
        consents.append(Grant(id=new_id(), code=sha256(new_secret("ac")), expires=hour, spent_at=now, **code, **given))
        access.append(pair)
        refresh.append(token)
    copy(Grant, consents)
    copy(AccessToken, access)
    copy(RefreshToken, refresh)
    _add_owners((secret, member) for member, secrets in tokens.items() for secret in secrets)
    return tokens


def add_decks(
    courses: Mapping[UUID, Sequence[UUID]], created_at: datetime, states: Sequence[Mapping[str, Any]]
) -> dict[UUID, list[UUID]]:
    """Add a deck to the first course of each member, each card in one of `states`. Return the cards."""
    decks = {member: new_id() for member in courses}
    cards = {member: [new_id() for _ in range(CARDS)] for member in courses}
    given = {"name": "Words of the course", "card_count": CARDS, "created_at": created_at, "updated_at": created_at}
    text = {"term": "Golgi apparatus", "definition": "Modifies, sorts and packs proteins into vesicles."}
    copy(
        Deck,
        (Deck(id=deck, member_id=member, course_id=courses[member][0], **given) for member, deck in decks.items()),
    )
    card_rows = (
        Card(
            id=card, member_id=member, deck_id=decks[member], position=position, **text, **states[number % len(states)]
        )
        for number, (member, ids) in enumerate(cards.items())
        for position, card in enumerate(ids, 1)
    )
    copy(Card, card_rows)
    return cards


def syllabus_file(member: UUID, course: UUID, filename: str, **fields: Any) -> SyllabusFile:
    """Return an unsaved syllabus that has been read."""
    text = SYLLABUS.decode()
    read = {"text_status": "read", "text": text, "characters": len(text)}
    file = {"media_type": "text/plain", "size": len(SYLLABUS), "sha256": hashed(SYLLABUS).hexdigest()}
    return SyllabusFile(member_id=member, course_id=course, filename=filename, **read, **file, **fields)

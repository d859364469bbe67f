"""Migrates the database of DATABASE_URL and adds the members of a drill: `python -m bench.drills.prepare CAST_FILE`."""

import os
import sys
from datetime import timedelta
from importlib import import_module
from pathlib import Path

import django
from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.core.management import call_command

from bench.cast import CLIENT_ID, Cast, Subject, save

MEMBERS = 300
CARDS = 20
CROWD_KEYS = 20
"""Keys of one more member, each with a rate limit of its own."""

MAIL_MEMBER = "member0@example.org"
CALLBACK = "https://app.example/callback"
SYLLABUS = b"Weeks 1 to 4: cells.\n"


def main() -> None:
    """Migrate, add, write the cast."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "studyservice.settings"
    django.setup()
    call_command("migrate", verbosity=0)
    save(Path(sys.argv[1]), _fill())


def _fill() -> Cast:
    """Members with a course, a syllabus file, a deck, a key and a refresh token each; one with many keys."""
    accounts, courses = import_module("accounts.models"), import_module("courses.models")
    vocab = import_module("vocab.models")
    content = import_module("django.core.files.base").ContentFile
    members = [
        accounts.Member(email=f"member{number}@example.org", password=UNUSABLE_PASSWORD_PREFIX)
        for number in range(MEMBERS + 1)
    ]
    accounts.Member.objects.bulk_create(members)
    *people, crowd = members
    taken = {member.id: courses.Course(member=member, name="Cell Biology") for member in members}
    courses.Course.objects.bulk_create(taken.values())
    for member in people[:10]:
        file = courses.SyllabusFile(member=member, course=taken[member.id], filename="syllabus.txt")
        file.file.save("syllabus.txt", content(SYLLABUS))
    decks = {member.id: vocab.Deck(member=member, name="Words") for member in people}
    vocab.Deck.objects.bulk_create(decks.values())
    cards = [
        vocab.Card(member=member, deck=decks[member.id], position=position, term="cell", definition="the unit of life")
        for member in people
        for position in range(1, CARDS + 1)
    ]
    vocab.Card.objects.bulk_create(cards)
    of_member: dict[object, list[str]] = {}
    for card in cards:
        of_member.setdefault(card.member_id, []).append(str(card.id))
    tokens = _refresh_tokens(people)
    subjects = [
        Subject(key, (str(taken[member.id].id),) * 2, tuple(of_member[member.id]), (token,))
        for member, key, token in zip(people, _keys(people), tokens, strict=True)
    ]
    course = str(taken[crowd.id].id)
    return Cast(subjects, [Subject(key, (course,)) for key in _keys([crowd] * CROWD_KEYS)])


def _keys(members: list) -> list[str]:
    secrets, accounts = import_module("accounts.secrets"), import_module("accounts.models")
    plain = [secrets.new_secret("sk") for _ in members]
    accounts.ApiKey.objects.bulk_create(
        accounts.ApiKey(member=member, name="drill", secret_hash=secrets.sha256(key), hint=key[:11])
        for member, key in zip(members, plain, strict=True)
    )
    return plain


def _refresh_tokens(members: list) -> list[str]:
    """A live pair of each member for a public client; gives the refresh tokens."""
    secrets, oauth = import_module("accounts.secrets"), import_module("oauthserver.models")
    uuid4, now = import_module("uuid").uuid4, import_module("django.utils.timezone").now()
    app = oauth.Application.objects.create(
        client_id=CLIENT_ID,
        name="Drill",
        redirect_uris=CALLBACK,
        client_type=oauth.Application.CLIENT_PUBLIC,
        token_endpoint_auth_method="none",  # noqa: S106  # a method
        authorization_grant_type=oauth.Application.GRANT_AUTHORIZATION_CODE,
        registration_source=oauth.Application.RegistrationSource.DCR,
        first_token_at=now,
    )
    plain = [secrets.new_secret("rt") for _ in members]
    common = [
        {"user": member, "application": app, "token_family": uuid4(), "scope": "read write"} for member in members
    ]
    pairs = oauth.AccessToken.objects.bulk_create(
        oauth.AccessToken(
            token_checksum=secrets.sha256(secrets.new_secret("at")), expires=now + timedelta(hours=1), **one
        )
        for one in common
    )
    oauth.RefreshToken.objects.bulk_create(
        oauth.RefreshToken(
            token_checksum=secrets.sha256(token), access_token=pair, expires=now + timedelta(days=60), **one
        )
        for token, pair, one in zip(plain, pairs, common, strict=True)
    )
    return plain


if __name__ == "__main__":
    main()

"""What was erased, revoked, disconnected or blocked after a backup is gone again after `redo-gone`."""

import json
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError
from django.db import connection, transaction
from django.test import Client
from django.utils import timezone

from accounts.identities import disconnect as disconnect_identity
from accounts.models import Member
from studyservice import gone
from studyservice.identity_provider import IdentityProvider
from tests.conftest import MakeKey, MakeMember
from tests.support.commands import refusal, run, run_json
from tests.support.entry_points import RestEntryPoint
from tests.support.factories import LinkedIdentityFactory
from tests.support.oauth import App, error_of, status_of

pytestmark = pytest.mark.django_db(transaction=True)

Restore = Callable[[], None]
TABLES = ("accounts_", "oauthserver_")


@pytest.fixture(autouse=True)
def file(settings: Any, tmp_path: Path) -> Path:
    """The file of this installation, in a `DATA_DIR` of its own."""
    settings.DATA_DIR = tmp_path
    return tmp_path / "gone.jsonl"


@pytest.fixture
def back_up() -> Callable[[], Restore]:
    """Keeps every row. The function that it returns puts them back, and nothing else."""

    def keep() -> Restore:
        with connection.cursor() as cursor:
            tables = [name for name in connection.introspection.table_names(cursor) if name.startswith(TABLES)]
            rows = {}
            for table in tables:
                cursor.execute(f'SELECT * FROM "{table}"')  # noqa: S608  # tables of the schema, here and below
                rows[table] = ([column[0] for column in cursor.description], cursor.fetchall())

        def restore() -> None:
            with transaction.atomic(), connection.cursor() as cursor:
                for table in tables:
                    cursor.execute(f'DELETE FROM "{table}"')  # noqa: S608
                for table, (columns, found) in rows.items():
                    marks, names = ", ".join(["%s"] * len(columns)), ", ".join(f'"{name}"' for name in columns)
                    cursor.executemany(f'INSERT INTO "{table}" ({names}) VALUES ({marks})', found)  # noqa: S608

        return restore

    return keep


def lines(file: Path) -> list[tuple[str, str]]:
    return [(one["what"], one["id"]) for one in map(json.loads, file.read_text().splitlines())]


def works(secret: str) -> bool:
    return RestEntryPoint(secret).call("get_me").error is None


def put(file: Path, *found: dict[str, str]) -> Path:
    file.write_text("".join(f"{json.dumps(one)}\n" for one in found))
    return file


def line(what: str, id_: object, **changes: Any) -> dict[str, Any]:
    return {"at": timezone.now().isoformat(), "what": what, "id": str(id_)} | changes


def test_a_revoked_key_stays_revoked(
    owner_member: Member, make_key: MakeKey, back_up: Any, admin: Client, file: Path
) -> None:
    (leaked, row), (kept, _) = make_key(owner_member), make_key(owner_member)
    restore = back_up()
    admin.post("/admin/accounts/apikey/", {"action": "revoke", "_selected_action": [str(row.id)]})
    assert lines(file) == [("key_revoked", str(row.id))]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    restore()
    assert works(leaked)
    assert run_json("redo-gone", str(file)) == {"ended": {"key_revoked": 1}, "unreadable": []}
    assert (works(leaked), works(kept)) == (False, True)


def test_an_erased_member_is_erased_again(make_member: MakeMember, make_key: MakeKey, back_up: Any, file: Path) -> None:
    ann, bob = make_member("ann@example.org"), make_member("bob@example.org")
    secret, _ = make_key(ann)
    restore = back_up()
    run("erasemember", "ann@example.org", "--yes")
    restore()
    assert works(secret)
    run("redo-gone", str(file))
    assert not works(secret)
    assert list(Member.objects.values_list("email", flat=True)) == ["bob@example.org"]
    assert lines(file)[0] == ("member_erased", str(ann.id)) != ("member_erased", str(bob.id))


def test_a_disconnected_app_stays_so_and_one_connected_again_stays(
    owner_member: Member, back_up: Any, file: Path
) -> None:
    """The new connection is in a later backup, and the line is older."""
    from oauthserver.connections import disconnect
    from oauthserver.models import Application

    app = App.registered()
    tokens = app.connect(owner_member)
    restore = back_up()
    disconnect(owner_member, Application.objects.get().id)
    again = app.connect(owner_member)
    assert (status_of(again["access_token"]), [what for what, _ in lines(file)]) == (200, ["app_disconnected"])
    assert run_json("redo-gone", str(file))["ended"] == {}
    restore()
    assert status_of(tokens["access_token"]) == 200
    assert run_json("redo-gone", str(file))["ended"] == {"app_disconnected": 1}
    assert status_of(tokens["access_token"]) == 401
    assert error_of(app.refresh(tokens["refresh_token"])) == (400, "invalid_grant")


def test_a_narrower_consent_stays_narrow(owner_member: Member, back_up: Any, file: Path) -> None:
    """A connection that could write ended when the member allowed only reading."""
    app = App.registered()
    wide = app.connect(owner_member)
    restore = back_up()
    app.connect(owner_member, write=False)
    restore()
    run("redo-gone", str(file))
    assert status_of(wide["access_token"]) == 401


def test_an_ended_calendar_address_stays_ended(owner_member: Member, back_up: Any, file: Path) -> None:
    from accounts.credentials.keys import end_feed, new_feed

    url = new_feed(owner_member).removeprefix("http://127.0.0.1:8000")
    restore = back_up()
    assert end_feed(owner_member.id)
    restore()
    assert Client().get(url).status_code == 200
    run("redo-gone", str(file))
    assert Client().get(url).status_code == 404


def test_a_disconnected_identity_stays_so(owner_member: Member, back_up: Any, file: Path) -> None:
    row = LinkedIdentityFactory.create(member=owner_member)
    restore = back_up()
    assert disconnect_identity(owner_member, IdentityProvider(row.issuer, "study", "secret", "Example College"))
    restore()
    assert run_json("redo-gone", str(file))["ended"] == {"identity_disconnected": 1}
    assert not owner_member.identities.exists()


def test_a_block_and_a_lifted_block_are_repeated(owner_member: Member, back_up: Any, admin: Client, file: Path) -> None:
    """One app was blocked after the backup, by its action; the block of another was deleted."""
    from oauthserver.models import Application, BlockedApp

    bad, good = App.registered(), App.registered()
    token = bad.connect(owner_member)["access_token"]
    admin.post("/admin/oauthserver/blockedapp/add/", {"client_id": good.id, "note": ""})
    block = BlockedApp.objects.get(client_id=good.id)
    restore = back_up()
    row = Application.objects.get(client_id=bad.id)
    admin.post("/admin/oauthserver/application/", {"action": "block", "_selected_action": [str(row.pk)]})
    admin.post(f"/admin/oauthserver/blockedapp/{block.pk}/delete/", {"post": "yes"})
    assert lines(file) == [("app_blocked", good.id), ("app_blocked", bad.id), ("app_unblocked", good.id)]
    restore()
    assert run_json("redo-gone", str(file))["ended"] == {"app_blocked": 1, "app_unblocked": 1}
    assert list(BlockedApp.objects.values_list("client_id", flat=True)) == [bad.id]
    assert status_of(token) == 401


def test_a_block_lifted_after_the_restore_stays_lifted(file: Path, tmp_path: Path) -> None:
    """Its newer line is in the file of this installation, which is always read."""
    from oauthserver.consents import block, is_blocked, unblock

    old = put(tmp_path / "old.jsonl", line("app_blocked", "app-1"))
    run("redo-gone", str(old))
    assert is_blocked("app-1")
    unblock("app-1")
    assert run_json("redo-gone", str(old))["ended"] == {}
    assert not is_blocked("app-1")
    assert block("app-1")
    assert run_json("redo-gone", str(old))["ended"] == {}


def test_twice_changes_nothing(owner_member: Member, make_key: MakeKey, file: Path, tmp_path: Path) -> None:
    """The new file has the lines of the others, for the next restore, each once."""
    _, row = make_key(owner_member)
    old = put(tmp_path / "old.jsonl", line("key_revoked", row.id), line("key_revoked", uuid4()))
    assert run_json("redo-gone", str(old))["ended"] == {"key_revoked": 1}
    row.refresh_from_db()
    written, revoked_at = file.read_text(), row.revoked_at
    assert sorted({id_ for _, id_ in lines(file)}) == sorted(id_ for _, id_ in lines(old))
    assert run_json("redo-gone", str(old), str(file))["ended"] == {}
    row.refresh_from_db()
    assert (file.read_text(), row.revoked_at) == (written, revoked_at)


def test_a_dry_run_lists_and_changes_nothing(
    owner_member: Member, make_key: MakeKey, file: Path, tmp_path: Path
) -> None:
    secret, row = make_key(owner_member)
    old = put(tmp_path / "old.jsonl", line("key_revoked", row.id))
    printed = run("redo-gone", "--dry-run", str(old))
    assert printed.startswith(f"key_revoked {row.id}\nWould end again: 1 key_revoked.\n")
    assert (works(secret), file.exists()) == (True, False)


def test_it_says_until_when_the_files_cover(file: Path, tmp_path: Path) -> None:
    """In UTC, by the newest line of any file."""
    old = put(
        tmp_path / "old.jsonl",
        line("key_revoked", uuid4(), at="2026-11-28T14:30:59+01:00"),
        line("key_revoked", uuid4(), at="2026-11-28T13:00:00+00:00"),
    )
    covered = "The files cover what ended until 28 November 2026 13:30 UTC."
    assert run("redo-gone", "--dry-run", str(old)) == f"Would end again: nothing.\n{covered}\n"
    file.write_text(str(gone.Line(timezone.now(), "key_revoked", str(uuid4()))))
    assert covered not in run("redo-gone", str(old))


def test_files_without_lines_cover_nothing(tmp_path: Path) -> None:
    """As if the record was lost with the disk."""
    empty = put(tmp_path / "empty.jsonl")
    nothing = "The files have no lines: whatever ended since the backup was made is back."
    assert run("redo-gone", str(empty)) == f"Ended again: nothing.\n{nothing}\n"


BAD = {
    b"not JSON": "Not a line like",
    b"[]": "Not a line like",
    b"\xff\xfe": "Not a line like",
    b"[" * 5000: "Not a line like",
    b'{"at": "2026-11-27T12:00:00+00:00", "what": "key_revoked"}': "Not a line like",
    b'{"at": "yesterday", "what": "key_revoked", "id": "1"}': "Not a line like",
    b'{"at": "2026-11-27T12:00:00", "what": "key_revoked", "id": "1"}': "at must have a time zone",
    b'{"at": "2026-11-27T12:00:00+00:00", "what": "card_lost", "id": "1"}': "what must be one of app_blocked, ",
    b'{"at": "2026-11-27T12:00:00+00:00", "what": [], "id": "1"}': "what must be one of",
    b'{"at": "2026-11-27T12:00:00+00:00", "what": "key_revoked", "id": "svc_sk_1"}': "id must be a UUID.",
    b'{"at": "2026-11-27T12:00:00+00:00", "what": "key_revoked", "id": 7}': "id must be text",
    b'{"at": "2026-11-27T12:00:00+00:00", "what": "app_blocked", "id": ""}': "id must be text",
}


def test_unreadable_lines_are_named_and_the_others_done(
    owner_member: Member, make_key: MakeKey, tmp_path: Path
) -> None:
    secret, row = make_key(owner_member)
    old = put(tmp_path / "old.jsonl", line("key_revoked", row.id))
    old.write_bytes(b"\n".join(BAD) + b"\n\n" + old.read_bytes())
    with pytest.raises(CommandError) as refused:
        run("redo-gone", str(old))
    *told, last = str(refused.value).splitlines()
    for number, (message, found) in enumerate(zip(BAD.values(), told, strict=True), 1):
        assert found.startswith(f"{old}, line {number}: {message}")
    assert last == f"Lines that could not be read: {len(BAD)}."
    assert not works(secret)


def test_a_missing_file_ends_nothing(owner_member: Member, make_key: MakeKey, tmp_path: Path) -> None:
    secret, row = make_key(owner_member)
    old = put(tmp_path / "old.jsonl", line("key_revoked", row.id))
    missing = tmp_path / "missing.jsonl"
    assert refusal("redo-gone", str(old), str(missing)) == f"{missing}: No such file or directory. Nothing was ended."
    assert works(secret)


def test_half_a_line_of_a_crash_spoils_no_other(file: Path) -> None:
    file.write_bytes(b'{"at": "2026-11-27T12')
    gone.note_gone("key_revoked", uuid4())
    half, whole = gone.read(file)
    assert (isinstance(half, gone.Unreadable), isinstance(whole, gone.Line)) == (True, True)


def test_a_revocation_holds_if_the_file_cannot_be_written(
    owner_member: Member, make_key: MakeKey, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The log has the line, for the operator to add."""
    from accounts.credentials.keys import revoke_api_key

    file.mkdir()
    secret, row = make_key(owner_member)
    revoke_api_key(row)
    assert not works(secret)
    [message] = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
    assert message.startswith(f"{file} could not be written. Add these lines to it: ")
    assert f'"what": "key_revoked", "id": "{row.id}"' in message


def test_nothing_is_written_before_the_commit(file: Path) -> None:
    with transaction.atomic():
        gone.note_gone("key_revoked", uuid4())
        transaction.set_rollback(True)
    assert not file.exists()

"""import_vocab_decks with hostile packages: a clear error within the limits, and nothing is written."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import MakeMember, OpenEntryPoint
from tests.support import hostile_packages as hostile
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint

pytestmark = [pytest.mark.django_db, pytest.mark.rest, pytest.mark.database("sqlite", "reads files")]

BROKEN, TOO_LARGE = "invalid_request: The file cannot be read", "invalid_request: The file has too much in it"
NO_CARDS, TOO_MANY = "validation_failed", "conflict: The file has more cards"

CASES: list[Any] = [
    (hostile.zip_bomb, TOO_LARGE),
    (hostile.zstd_bomb, TOO_LARGE),
    (hostile.two_gigabyte_window, BROKEN),
    (hostile.broken_zstd, BROKEN),
    (hostile.encrypted, BROKEN),
    (hostile.overlapping_members, BROKEN),
    pytest.param(
        hostile.endless_cards,
        "invalid_request: The file",
        marks=pytest.mark.thorough("seconds in the reader, up to a limit that others reach too"),
    ),
    (hostile.cyclic_view, BROKEN),
    (hostile.cyclic_pages, BROKEN),
    (hostile.other_schema, BROKEN),
    (hostile.other_columns, BROKEN),
    (hostile.no_collection, BROKEN),
    (hostile.deck_that_is_not_an_object, BROKEN),
    (hostile.decks_that_are_a_list, BROKEN),
    (hostile.deep_decks, BROKEN),
    (hostile.cut, BROKEN),
    (hostile.values_of_wrong_types, NO_CARDS),
    (hostile.long_field, NO_CARDS),
    (hostile.too_many_notes, TOO_MANY),
]


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of temporary files."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(("make", "said"), CASES, ids=lambda value: getattr(value, "__name__", None))
def test_a_hostile_package_gets_a_clear_answer(
    owner: RestEntryPoint, make: Callable[[], bytes], said: str, temporary: Path, caplog: pytest.LogCaptureFixture
) -> None:
    package = make()
    assert len(package) < 10 * 1024 * 1024
    answer = owner.call("import_vocab_decks", file=package)
    assert f"{answer.error}: {answer.body['message']}".startswith(said)
    assert "raised" not in caplog.text
    assert owner.made("list_vocab_decks")["data"] == []
    assert list(temporary.iterdir()) == []


@each(
    ("make", "name", "media"),
    [
        (hostile.harmless, "Cells", 0),
        (hostile.two_gigabyte_claim, "Cells", 0),
        (hostile.decks_without_names, "upload", 0),
        (hostile.time_that_is_text, "Cells", 0),
        (hostile.cards_without_queue, "Cells", 0),
        (hostile.textual_queue, "Cells", 0),
        (hostile.null_queue, "Cells", 0),
        (hostile.zip_slip, "Cells", 3),
    ],
)
def test_an_unusual_but_harmless_package_is_read(
    owner: RestEntryPoint, make: Callable[[], bytes], name: str, media: int
) -> None:
    """Only the database of a package is unpacked, whatever the paths of other members."""
    answer = owner.made("import_vocab_decks", file=make())
    [deck] = answer["decks"]
    [shown] = owner.made("list_vocab_decks", deck_id=deck["id"], include_cards=True)["data"]
    assert (deck["name"], [card["suspended"] for card in shown["cards"]]) == (name, [False])
    assert (answer["cards"], answer["media_left_out"]) == (1, media)
    assert not Path("/tmp/slipped").exists()  # noqa: S108


@each("make", [hostile.extreme_numbers, hostile.forgotten_at_once])
def test_cards_with_extreme_numbers_survive_export_and_import(
    owner: RestEntryPoint, make: Callable[[], bytes], make_member: MakeMember, entry_point: OpenEntryPoint
) -> None:
    [deck] = owner.made("import_vocab_decks", file=make())["decks"]
    [shown] = owner.made("list_vocab_decks", deck_id=deck["id"], include_cards=True)["data"]
    assert shown["cards"][0]["state"] == "review"
    newcomer = entry_point(make_member("new@example.org"))
    answer = newcomer.call("import_data", file=owner.made("export_data"))
    assert answer.error is None, answer.body

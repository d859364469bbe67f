"""The archive contains card settings, suspended cards, and FSRS's predictions."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine

from accounts.models import Member
from practice.models import Attempt
from studyservice.rates import limiter as rates
from tests.conftest import MakeMember, OpenEntryPoint
from tests.support.archives import PROFILE, lines_of, parts, parts_of, zipped
from tests.support.entry_points import RestEntryPoint
from tests.support.practice import kept_sums
from tests.support.vocabulary import made_deck, reviewed

pytestmark = [pytest.mark.django_db, pytest.mark.rest]

NOON = datetime(2030, 5, 6, 12, tzinfo=UTC)


def at(day: int) -> Any:
    rates.clear()
    return time_machine.travel(NOON + timedelta(days=day), tick=False)


@pytest.fixture
def newcomer(make_member: MakeMember, entry_point: OpenEntryPoint) -> RestEntryPoint:
    return entry_point(make_member("new@example.org"))


@pytest.fixture
def archive(owner: RestEntryPoint) -> bytes:
    """The archive of a member with a deleted deck, an existing deck, and a suspended card."""
    with at(0):
        owner.made("update_me", new_cards_a_day=3)
        decks = [made_deck(owner, "a", name="Gone"), made_deck(owner, "b", "c")]
        for deck in decks:
            reviewed(owner, deck["cards"][0], "easy", duration_ms=4000)
        owner.made("update_vocab_card", card_id=decks[1]["cards"][1]["id"], suspended=True)
    with at(20):
        reviewed(owner, decks[0]["cards"][0], "again", duration_ms=8000)
        reviewed(owner, decks[1]["cards"][0], "good", duration_ms=6000)
        owner.made("delete_vocab_deck", deck_id=decks[0]["id"])
        content: bytes = owner.made("export_data")
    return content


def study_state(one: RestEntryPoint) -> Any:
    with at(20):
        me = one.made("get_me")
        [deck] = one.made("list_vocab_decks")["data"]
        return me["new_cards_a_day"], one.made("get_practice_stats")["memory"], deck["new_count"], deck["today_count"]


def _sums_by_day(member: Member) -> dict[Any, Any]:
    return {key: sums[:6] for key, sums in kept_sums(member).items() if key[0] == "day"}


def test_an_import_restores_study_settings_and_sums(
    archive: bytes, owner: RestEntryPoint, owner_member: Any, newcomer: RestEntryPoint
) -> None:
    with at(20):
        newcomer.made("import_data", file=archive)
    assert study_state(newcomer) == study_state(owner)
    assert study_state(newcomer)[1]["reviews"] == 2
    new = Member.objects.get(email="new@example.org")
    old = Member.objects.get(id=owner_member.id)
    assert (new.seconds, new.seconds_reviews) == (old.seconds, old.seconds_reviews)
    assert new.seconds == pytest.approx(5.5)
    assert _sums_by_day(new) == _sums_by_day(old)


def test_no_limit_is_imported_as_well(owner: RestEntryPoint, newcomer: RestEntryPoint) -> None:
    owner.made("update_me", new_cards_a_day=None)
    newcomer.made("import_data", file=owner.made("export_data"))
    assert newcomer.made("get_me")["new_cards_a_day"] is None


def test_an_older_archive_keeps_the_settings_of_the_account(owner: RestEntryPoint, owner_member: Any) -> None:
    [card] = (deck := made_deck(owner))["cards"]
    reviewed(owner, card, "good", duration_ms=5000)
    owner.made("update_me", new_cards_a_day=9)
    owner.made("delete_vocab_deck", deck_id=deck["id"])
    owner.made("import_data", file=zipped(parts(profile=PROFILE)))
    stored = Member.objects.get(id=owner_member.id)
    assert (stored.new_cards_a_day, stored.seconds, stored.seconds_reviews) == (9, 5.0, 1)


def test_predictions_missing_in_an_older_archive_come_from_the_review_log(
    archive: bytes, newcomer: RestEntryPoint
) -> None:
    members = parts_of(archive)
    later = {"is_first", "foretold", "suspended"}
    older = {
        name: [{key: value for key, value in line.items() if key not in later} for line in lines_of(archive, name)]
        for name in ("decks", "cards", "reviews", "attempts")
    }
    made = parts(**older)
    made["manifest.json"] = members["manifest.json"].replace(b'"version":3', b'"version":1')
    made |= {name: members[name] for name in members if name not in made}
    with at(20):
        newcomer.made("import_data", file=zipped(made))
    assert study_state(newcomer)[1]["reviews"] == 1, "the attempts of the deleted deck have no log"
    assert sorted(Attempt.objects.filter(member__email="new@example.org").values_list("is_first", flat=True)) == [
        False,
        False,
        False,
        True,
    ]


def test_an_import_leaves_the_morning_e_mail_alone(owner: RestEntryPoint, newcomer: RestEntryPoint) -> None:
    owner.made("update_me", morning_email=True)
    archive = owner.made("export_data")
    assert lines_of(archive, "profile")[0]["morning_email"] is True
    newcomer.made("import_data", file=archive)
    assert newcomer.made("get_me")["morning_email"] is False


def test_invalid_numbers_are_rejected(owner: RestEntryPoint) -> None:
    for wrong in ({"new_cards_a_day": 501}, {"seconds": 121}, {"seconds_reviews": -1}, {"morning_email": "yes"}):
        answer = owner.call("import_data", file=zipped(parts(profile=PROFILE | wrong)))
        assert next(iter(wrong)) in answer.body["details"][0]["message"]

"""`repaircounts` and its admin action compare stored counts with the rows."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from accounts.models import Member
from practice.models import PracticeSum
from tests.support.cases import each
from tests.support.entry_points import RestEntryPoint
from tests.support.practice import counted_sums, kept_sums
from tests.support.vocabulary import made_deck, reviewed


def run(*arguments: str) -> Any:
    printed = StringIO()
    call_command("repaircounts", *arguments, "--json", stdout=printed)
    return json.loads(printed.getvalue())["members"]


@pytest.fixture
def practised(owner: RestEntryPoint) -> None:
    """A review by the owner, which updates three sums."""
    reviewed(owner, made_deck(owner)["cards"][0], "good")


@pytest.mark.rest
@pytest.mark.usefixtures("practised")
def test_correct_counts_are_kept(owner_member: Member) -> None:
    assert run("--all") == []
    assert kept_sums(owner_member) == counted_sums(owner_member)


@pytest.mark.rest
@pytest.mark.usefixtures("practised")
def test_wrong_counts_are_reported_and_repaired(owner_member: Member) -> None:
    PracticeSum.objects.filter(kind="day").update(attempts=7, run=3)
    PracticeSum.objects.filter(kind="topic_month").delete()
    told = [{"email": owner_member.email, "wrong": 2}]
    assert run("--all", "--dry-run") == told
    assert kept_sums(owner_member) != counted_sums(owner_member)
    assert run(owner_member.email) == told
    assert kept_sums(owner_member) == counted_sums(owner_member)


@pytest.mark.rest
@pytest.mark.usefixtures("practised")
def test_the_admin_action_repairs_counts(admin: Client, owner_member: Member) -> None:
    PracticeSum.objects.all().delete()
    admin.post("/admin/accounts/member/", {"action": "repair_counts", "_selected_action": [str(owner_member.id)]})
    assert kept_sums(owner_member) == counted_sums(owner_member)


@pytest.mark.django_db
@each("arguments", [[], ["nobody@example.org"], ["a@example.org", "--all"]])
def test_the_command_accepts_one_member_or_all(arguments: list[str]) -> None:
    with pytest.raises(CommandError):
        call_command("repaircounts", *arguments)

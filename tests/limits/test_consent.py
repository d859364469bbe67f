"""Data that a member withholds from an app or a key: on the consent page, with a new key, and on the key page."""

import re
from datetime import date
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

import pytest
from django.test import Client

from accounts.credentials import limiting
from studyservice.rows.limits import Limits
from tests.support.cases import each
from tests.support.commands import refusal, run_json
from tests.support.entry_points import RestEntryPoint
from tests.support.oauth import FORM, App, Browser, answer_in, error_of

pytestmark = [pytest.mark.rest, pytest.mark.database("both")]


@pytest.fixture
def courses(owner: RestEntryPoint) -> list[str]:
    """The ids of two courses with a deadline each."""
    ids = [owner.made("create_course", name=name)["id"] for name in ("Botany", "Latin")]
    for id_ in ids:
        owner.made("create_item", course_id=id_, title="Midterm")
    return ids


@pytest.fixture
def app(db: None) -> App:
    return App.registered(client_name="Planner")


def consent(app: App, member: Any, **fields: Any) -> Any:
    """The response to the consent form."""
    posted = urlencode({"decision": "allow", "write": "yes"} | fields, doseq=True)
    return Browser(member).client.generic("POST", "/oauth/authorize", posted, FORM, QUERY_STRING=app.query())


def connected(app: App, member: Any, **fields: Any) -> dict[str, Any]:
    """The tokens of a consent with these fields."""
    tokens: dict[str, Any] = app.exchange(answer_in(consent(app, member, **fields))["code"]).json()
    return tokens


def names(tokens: dict[str, Any]) -> list[str]:
    return [one["name"] for one in RestEntryPoint(tokens["access_token"]).made("list_courses")["data"]]


def limits(tokens: dict[str, Any]) -> Any:
    return RestEntryPoint(tokens["access_token"]).made("get_me")["limits"]


def test_an_app_sees_only_selected_courses(owner_member: Any, app: App, courses: list[str]) -> None:
    tokens = connected(app, owner_member, which="these", courses=courses[0], grades="no", until="2099-01-31")
    assert names(tokens) == ["Botany"]
    assert limits(tokens) == {"courses": [courses[0]], "other": False, "grades": False, "until": "2099-01-31"}
    assert RestEntryPoint(tokens["access_token"]).call("get_grades", course_id=courses[0]).error == "insufficient_scope"
    refreshed = app.refresh(tokens["refresh_token"]).json()
    assert names(refreshed) == ["Botany"]


def test_without_a_choice_everything_is_visible(owner_member: Any, app: App, courses: list[str]) -> None:
    tokens = connected(app, owner_member)
    assert (names(tokens), limits(tokens)) == (["Botany", "Latin"], None)


@each("ticked", [[], ["other"], ["unknown"]])
def test_no_course_never_means_all(
    owner_member: Any, app: App, courses: list[str], stranger: RestEntryPoint, ticked: list[str]
) -> None:
    ids = {"other": stranger.made("create_course", name="Art")["id"], "unknown": str(uuid4())}
    response = consent(app, owner_member, which="these", courses=[ids[one] for one in ticked])
    assert response.status_code == 422
    assert "Location" not in response.headers
    client = Client()
    client.force_login(owner_member)
    fields = {"name": "Script", "expires": "90", "which": "these", "courses": [ids[one] for one in ticked]}
    client.post("/keys", fields)
    assert owner_member.api_keys.filter(name="Script").count() == 0


def test_ticked_courses_never_mean_all(owner_member: Any, app: App, courses: list[str], make_key: Any) -> None:
    ticked = {"which": "all", "courses": courses[:1], "grades": "yes"}
    client = Client()
    client.force_login(owner_member)
    _, key = make_key(owner_member)
    for response in (
        consent(app, owner_member, **ticked),
        client.post("/keys", {"name": "Script", "expires": "90"} | ticked),
        client.post(f"/keys/{key.id}/limits", ticked),
    ):
        assert "You ticked courses: choose Only these, or untick them." in response.content.decode()
    key.refresh_from_db()
    assert (key.limits, owner_member.api_keys.filter(name="Script").count()) == (None, 0)


def shown(app: App, member: Any) -> tuple[str, dict[str, Any]]:
    """The words of the consent page, and what its form of limits starts with."""
    response = Browser(member).visit(app.query())
    form = response.context["limits_form"]
    values = {name: form[name].value() for name in ("which", "courses", "grades", "until")}
    return " ".join(response.content.decode().split()), values


def test_a_second_consent_starts_with_the_limits_of_the_first(
    owner_member: Any, app: App, courses: list[str], time_machine: Any
) -> None:
    time_machine.move_to("2026-11-23T12:00:00Z")
    everything = {"which": "all", "courses": [], "grades": "yes", "until": ""}
    text, starts = shown(app, owner_member)
    assert ("You last allowed" in text, starts["which"], starts["grades"]) == (False, "all", "yes")
    connected(app, owner_member, which="these", courses=courses[0], grades="no", until="2026-12-31")
    text, starts = shown(app, owner_member)
    assert (
        "You last allowed this app to see only Botany, no grades, until 31 December 2026. "
        "<em>Allow</em> keeps that unless you change it."
    ) in text
    until = date(2026, 12, 31)
    assert starts == {"which": "these", "courses": courses[:1], "grades": "no", "until": until}
    tokens = connected(app, owner_member, **starts)
    assert limits(tokens) == {"courses": courses[:1], "other": False, "grades": False, "until": "2026-12-31"}
    time_machine.move_to("2027-01-02T12:00:00Z")
    text, starts = shown(app, owner_member)
    assert "only Botany, no grades. <em>" in text
    assert starts["until"] is None
    connected(app, owner_member, **everything)
    assert "You last allowed" not in shown(app, owner_member)[0]
    assert "You last allowed" not in shown(App.registered(client_name="Other"), owner_member)[0]


def test_a_second_consent_does_not_widen_when_the_last_course_is_gone(
    owner: RestEntryPoint, owner_member: Any, app: App, courses: list[str]
) -> None:
    connected(app, owner_member, which="these", courses=courses[0])
    for id_ in courses:
        owner.made("delete_course", course_id=id_)
    text, starts = shown(app, owner_member)
    assert "to see no course." in text
    assert 'value="these"' in text
    assert consent(app, owner_member, which=starts["which"]).status_code == 422


def test_a_second_consent_does_not_let_the_app_write_again(owner_member: Any, app: App) -> None:
    ticked = 'id="write" value="yes" checked'
    assert ticked in shown(app, owner_member)[0]
    again = consent(app, owner_member, write=[], until="soon")
    assert (again.status_code, ticked in again.content.decode()) == (422, False)
    assert consent(app, owner_member, write=[]).status_code == 302
    text, _ = shown(app, owner_member)
    assert ticked not in text
    assert "Without a tick, the app is read-only." in text
    consent(app, owner_member, write="yes")
    assert ticked in shown(app, owner_member)[0]


def test_a_past_end_is_rejected(owner_member: Any, app: App) -> None:
    assert consent(app, owner_member, until="2020-01-01").status_code == 422
    assert consent(app, owner_member, until="soon").status_code == 422


def test_an_app_works_through_its_last_day(owner_member: Any, app: App, time_machine: Any) -> None:
    time_machine.move_to("2026-11-23T12:00:00Z")
    tokens = connected(app, owner_member, until="2026-11-23")
    time_machine.move_to("2026-11-23T22:59:00Z", tick=False)  # 23:59 in Paris
    tokens = app.refresh(tokens["refresh_token"]).json()
    assert RestEntryPoint(tokens["access_token"]).call("get_me").error is None
    time_machine.move_to("2026-11-23T23:01:00Z", tick=False)
    response = RestEntryPoint(tokens["access_token"]).request("GET", "/v1/me")
    assert response.status_code == 401
    assert 'error="invalid_token"' in response.headers["WWW-Authenticate"]
    assert error_of(app.refresh(tokens["refresh_token"])) == (400, "invalid_grant")


def test_a_narrower_consent_ends_wider_tokens(owner_member: Any, app: App, courses: list[str]) -> None:
    wide = connected(app, owner_member, which="these", courses=courses)
    narrow = connected(app, owner_member, which="these", courses=courses[:1])
    assert RestEntryPoint(wide["access_token"]).call("get_me").error == "unauthorized"
    assert names(narrow) == ["Botany"]
    disjoint = connected(app, owner_member, which="these", courses=courses[1:])
    assert RestEntryPoint(narrow["access_token"]).call("get_me").error == "unauthorized"
    everything = connected(app, owner_member)
    assert names(disjoint) == names(everything) == ["Botany", "Latin"]


def test_a_change_takes_effect_on_the_next_call(owner_member: Any, app: App, courses: list[str]) -> None:
    tokens = connected(app, owner_member)
    client = Client()
    client.force_login(owner_member)
    [path] = re.findall(r"/keys/apps/[^/]+/limits", client.get("/keys").content.decode())
    assert "Botany" in client.get(path).content.decode()
    assert client.post(path, {"which": "these", "grades": "yes"}).status_code == 422
    assert names(tokens) == ["Botany", "Latin"]
    assert client.post(path, {"which": "these", "courses": courses[1], "grades": "no"}).status_code == 302
    assert names(tokens) == ["Latin"]
    page = client.get("/keys").content.decode()
    assert "Sees only Latin." in page
    assert "Does not see grades." in page


def test_a_key_can_be_limited_and_changed(owner_member: Any, courses: list[str]) -> None:
    client = Client()
    client.force_login(owner_member)
    fields = {"name": "Script", "expires": "90", "which": "these", "courses": courses[0], "grades": "yes"}
    response = client.post("/keys", fields)
    key = owner_member.api_keys.get(name="Script")
    secret = response.context["secret"]
    assert [one["name"] for one in RestEntryPoint(secret).made("list_courses")["data"]] == ["Botany"]
    client.post(f"/keys/{key.id}/limits", {"which": "all", "grades": "no"})
    assert RestEntryPoint(secret).made("get_me")["limits"] == {
        "courses": None,
        "other": True,
        "grades": False,
        "until": None,
    }
    assert client.post(f"/keys/{uuid4()}/limits", {"which": "all"}).status_code == 404


def test_somebody_elses_key_and_app_are_not_found(owner_member: Any, make_member: Any, make_key: Any) -> None:
    _, key = make_key(owner_member)
    client = Client()
    client.force_login(make_member("eve@example.org"))
    for path in (f"/keys/{key.id}/limits", f"/keys/apps/{uuid4()}/limits"):
        assert client.get(path).status_code == client.post(path, {"grades": "no"}).status_code == 404


def test_the_command_limits_a_key(owner_member: Any, courses: list[str], stranger: RestEntryPoint) -> None:
    made = run_json("createapikey", owner_member.email, "Script", "--course", courses[1], "--no-grades")
    me = RestEntryPoint(made["api_key"]).made("get_me")
    assert me["limits"] == {"courses": [courses[1]], "other": False, "grades": False, "until": None}
    others = stranger.made("create_course", name="Art")["id"]
    keys = owner_member.api_keys.count()
    for wrong in (others, str(uuid4())):
        said = refusal("createapikey", owner_member.email, "Other", "--course", courses[0], "--course", wrong)
        assert said == f"{owner_member.email} has no course {wrong}. No key was created."
    assert "UUID" in refusal("createapikey", owner_member.email, "Other", "--course", "Botany")
    assert owner_member.api_keys.count() == keys


def test_a_deleted_course_is_removed_and_an_undo_restores_it(
    owner: RestEntryPoint, owner_member: Any, app: App, courses: list[str]
) -> None:
    tokens = connected(app, owner_member, which="these", courses=courses[:1])
    owner.made("delete_course", course_id=courses[0])
    assert (names(tokens), limits(tokens)["courses"]) == ([], [])
    change = owner.made("list_changes")["data"][0]
    owner.made("undo_change", change_id=change["id"])
    assert names(tokens) == ["Botany"]


def test_a_course_created_by_the_app_is_visible_to_it(owner_member: Any, app: App, courses: list[str]) -> None:
    tokens = connected(app, owner_member, which="these", courses=courses[:1])
    made = RestEntryPoint(tokens["access_token"]).made("create_course", name="Art")
    assert names(tokens) == ["Botany", "Art"]
    assert limits(tokens)["courses"] == [courses[0], made["id"]]


def test_deleted_courses_do_not_accumulate(
    owner_member: Any, make_key: Any, courses: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limiting, "MOST_GONE", 2)
    secret, key = make_key(owner_member, limits=Limits((courses[0],)).stored())
    limited = RestEntryPoint(secret)
    for name in "abcd":
        gone = limited.made("create_course", name=name)["id"]
        limited.made("delete_course", course_id=gone)
    limited.made("undo_change", change_id=limited.made("list_changes")["data"][0]["id"])
    assert [one["name"] for one in limited.made("list_courses")["data"]] == ["Botany", "d"]
    key.refresh_from_db()
    assert len(Limits.of(key.limits).courses or ()) == 4

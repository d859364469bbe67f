"""Within v1 there are only additions (spec, Versioning 2): tests/promises.txt, to which `make openapi` only adds.

Promises that were never released may be removed by hand.
"""

import copy
from collections.abc import Callable
from typing import Any

import pytest

from tests import ROOT
from tests.support.cases import each
from tests.support.entry_points import document
from tests.support.promises import broken, promises, refreshed

pytestmark = pytest.mark.database("sqlite", "the description is built from declarations")

KEPT = ROOT / "tests" / "promises.txt"
REFRESH = "Run `make openapi` and look at the difference before you commit it."


def test_every_promise_is_kept(pytestconfig: pytest.Config) -> None:
    kept, found = set(KEPT.read_text(encoding="utf-8").splitlines()), promises(document())
    assert broken(kept, found) == []
    if pytestconfig.getoption("--refresh-baselines"):
        kept = refreshed(kept, found)
        KEPT.write_text("".join(f"{line}\n" for line in sorted(kept)), encoding="utf-8")
    assert sorted(found - kept) == [], REFRESH


@pytest.fixture
def changed() -> Any:
    """A copy of the description, to be modified."""
    return copy.deepcopy(document())


def _schemas(description: Any) -> Any:
    return description["components"]["schemas"]


def _operation(description: Any) -> Any:
    return description["paths"]["/v1/agenda"]["get"]


BREAKING: dict[str, Callable[[Any], object]] = {
    "an operation goes": lambda d: d["paths"].pop("/v1/agenda"),
    "it has another path": lambda d: d["paths"].update({"/v1/week": d["paths"].pop("/v1/agenda")}),
    "a parameter goes": lambda d: _operation(d)["parameters"].clear(),
    "a parameter must be sent": lambda d: _operation(d)["parameters"][0].update(required=True),
    "a parameter takes less": lambda d: _operation(d)["parameters"][0]["schema"].update(maximum=7),
    "a default is another": lambda d: _operation(d)["parameters"][0]["schema"].update(default=7),
    "a status goes": lambda d: _operation(d)["responses"].pop("200"),
    "a field goes": lambda d: _schemas(d)["Course"]["properties"].pop("code"),
    "a field may be absent": lambda d: _schemas(d)["Course"]["required"].remove("code"),
    "a field has another type": lambda d: _schemas(d)["Deck"]["properties"]["card_count"].update(type="string"),
    "a text must be shorter": lambda d: _schemas(d)["NewItemBody"]["properties"]["title"].update(maxLength=80),
    "a value is taken no more": lambda d: _schemas(d)["NewItemBody"]["properties"]["kind"]["enum"].remove("lab"),
    "a value is answered no more": lambda d: _schemas(d)["ItemKind"]["anyOf"][0]["enum"].remove("lab"),
    "an operation answers less": lambda d: _other_answer(d, milestones=None),
    "an operation answers something else": lambda d: _other_answer(d, until={"type": "integer"}),
    "another schema is taken, which demands more": lambda d: _other_card(d, required=["term", "definition", "hint"]),
    "another schema is taken, which takes less": lambda d: _other_card(d, properties={"term": {"type": "string"}}),
    "a field must be sent": lambda d: _schemas(d)["NewItemBody"]["required"].append("kind"),
    "a new field must be sent": lambda d: (
        _schemas(d)["NewItemBody"]["properties"].update(place={"type": "string"}),
        _schemas(d)["NewItemBody"]["required"].append("place"),
    ),
}


def _other_answer(description: Any, **changes: Any) -> None:
    """The agenda as a schema with another name. `changes` are added fields, or removed ones if None."""
    agenda = copy.deepcopy(_schemas(description)["Agenda"])
    for name, field in changes.items():
        agenda["properties"] |= {} if field is None else {name: field}
        if field is None:
            del agenda["properties"][name]
    agenda["required"] = [name for name in agenda["required"] if name in agenda["properties"]]
    _schemas(description)["Week"] = agenda
    [media] = _operation(description)["responses"]["200"]["content"].values()
    media["schema"] = {"$ref": "#/components/schemas/Week"}


def _other_card(description: Any, **changes: Any) -> None:
    """The cards to add as a schema with another name and `changes`."""
    _schemas(description)["NewCard"] = copy.deepcopy(_schemas(description)["CardBody"]) | changes
    _schemas(description)["CardsBody"]["properties"]["cards"]["items"] = {"$ref": "#/components/schemas/NewCard"}


ADDITIONS: dict[str, Callable[[Any], object]] = {
    "an operation": lambda d: d["paths"].update({"/v1/week": {"get": _operation(d) | {"operationId": "get_week"}}}),
    "a parameter": lambda d: _operation(d)["parameters"].append(
        {"name": "kind", "in": "query", "schema": {"type": "string"}}
    ),
    "a parameter without a bound": lambda d: _operation(d)["parameters"][0]["schema"].pop("maximum"),
    "a field that is answered": lambda d: (
        _schemas(d)["Course"]["properties"].update(colour={"type": "string"}),
        _schemas(d)["Course"]["required"].append("colour"),
    ),
    "another schema is taken, which demands less": lambda d: _other_card(d, required=[]),
    "an answer of another name that has more": lambda d: _other_answer(d, weeks={"type": "integer"}),
    "a field that may be sent": lambda d: _schemas(d)["NewItemBody"]["properties"].update(place={"type": "string"}),
    "a value": lambda d: _schemas(d)["ItemKind"]["anyOf"][0]["enum"].append("talk"),
}


@each("name", BREAKING)
def test_a_breaking_change_is_found_and_a_refresh_does_not_hide_it(changed: Any, name: str) -> None:
    kept = promises(document())
    BREAKING[name](changed)
    found = promises(changed)
    assert broken(kept, found)
    assert broken(refreshed(kept, found), found) == broken(kept, found)


@each("name", ADDITIONS)
def test_an_addition_is_kept_from_then_on(changed: Any, name: str) -> None:
    kept = promises(document())
    ADDITIONS[name](changed)
    found = promises(changed)
    assert broken(kept, found) == []
    assert refreshed(kept, found) == found != kept
    assert broken(refreshed(kept, found), kept) != []


def test_a_dropped_demand_stays_dropped(changed: Any) -> None:
    kept = promises(document())
    _schemas(changed)["NewItemBody"]["required"].remove("title")
    found = promises(changed)
    assert broken(kept, found) == []
    assert broken(refreshed(kept, found), kept) == ["NewItemBody demands title"]

"""Describe account events for the member."""

from collections.abc import Callable

from accounts.changes.contents import as_words
from accounts.changes.models import ActorKind
from accounts.events.log import EventRow
from accounts.events.models import EventKind


def event_in_words(event: EventRow) -> str:
    """Return a sentence without its period: `The API key “Script” was used from a new network`."""
    return _WORDS[EventKind(event["kind"])](_ACTORS.get(event["by_kind"], ""), f"“{event['object_name']}”", event)


_ACTORS = {
    ActorKind.PAGE.value: "You",
    ActorKind.OPERATOR.value: "An operator",
    ActorKind.COMMAND.value: "An operator's command",
}


def _new_network(who: str, name: str, event: EventRow) -> str:
    return f"The API key {name} was used from a new network" + (f", {event['detail']}" if event["detail"] else "")


def _read(who: str, name: str, event: EventRow) -> str:
    if not event["object_type"]:
        return f"{who} looked at your account"
    of = f" {name}" if event["object_name"] else ""
    return f"{who} looked at your {_thing(event)}{of}"


def _limits_changed(who: str, name: str, event: EventRow) -> str:
    return f"{who} made the limits of the {_thing(event)} {name} {event['detail']}"


def _thing(event: EventRow) -> str:
    """`API key`."""
    return as_words(event["object_type"]).replace("api", "API")


_WORDS: dict[EventKind, Callable[[str, str, EventRow], str]] = {
    EventKind.SIGNED_IN: lambda who, name, event: f"You signed in {event['detail']}".rstrip(),
    EventKind.KEY_MADE: lambda who, name, event: f"{who} created the API key {name}, which {event['detail']}",
    EventKind.KEY_NEW_NETWORK: _new_network,
    EventKind.KEY_REVOKED: lambda who, name, event: f"{who} revoked the API key {name}",
    EventKind.LIMITS_CHANGED: _limits_changed,
    EventKind.APP_CONNECTED: lambda who, name, event: f"{who} connected the app {name}, which {event['detail']}",
    EventKind.APP_DISCONNECTED: lambda who, name, event: f"{who} disconnected the app {name}",
    EventKind.OPERATOR_ACTION: lambda who, name, event: f"{who} changed your account: {event['detail'].rstrip('.')}",
    EventKind.OPERATOR_READ: _read,
}

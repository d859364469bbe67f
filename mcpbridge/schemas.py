"""The schemas of a tool, derived from the operation's entry in `/openapi.json`, and the source of each id.

Every session of an assistant reads all of them, so nothing is repeated. Arguments keep everything that helps to fill
them in. They are open and take any text as an id or a time: some clients check them, and would refuse what the service
takes or explains. Answers are explained by their values, so only names and types of their fields are listed.
"""

import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from studyservice.database.times import TIME

_LIST = "list_"
_OTHERS = {
    "category_id": "get_grades",
    "score_id": "get_grades",
    "deck_id": "list_vocab_decks",
    "card_id": "list_vocab_decks",
}


def sources_of(tools: Iterable[str]) -> dict[str, str]:
    """Return the reading tool that is the best source of each id, by argument.

    Args:
        tools: the names of all tools.
    """
    listing = {f"{name.removeprefix(_LIST).removesuffix('s')}_id": name for name in tools if name.startswith(_LIST)}
    return listing | _OTHERS


Schema = dict[str, Any]

_LEFT_OUT = (("additionalProperties", False), ("format", "double"), ("format", "uuid"))
_FORMS = {("format", "date"): "YYYY-MM-DD", ("pattern", TIME): "HH:MM"}
"""What the description of a field says of its form."""


def input_schema(entry: Mapping[str, Any], components: Mapping[str, Schema], sources: Mapping[str, str]) -> Schema:
    """Return path, query and body parameters of an OpenAPI operation as one object, without any `$ref`.

    Args:
        sources: the tool that returns such ids, by argument.

    Raises:
        ImproperlyConfigured: two parameters have the same name.
    """
    properties: dict[str, Schema] = {}
    required: list[str] = []
    parameters = [parameter for parameter in entry.get("parameters", []) if parameter["in"] != "header"]
    for parameter in sorted(parameters, key=lambda parameter: parameter["in"] != "path"):
        description = "" if parameter["in"] == "path" else parameter["description"]
        _add(properties, parameter["name"], {"description": description, **parameter["schema"]})
        if parameter.get("required"):
            required.append(parameter["name"])
    body = _body(entry, components)
    for name, declared in body.get("properties", {}).items():
        _add(properties, name, declared)
    required += body.get("required", [])
    inlined = _inlined(properties, components)
    _name_sources(inlined, sources)
    _shorten_entries(inlined)
    _describe_forms(inlined)
    schema: Schema = {"type": "object", "properties": inlined}
    if required:
        schema["required"] = required
    return schema


def output_schema(entry: Mapping[str, Any], components: Mapping[str, Schema]) -> Schema:
    """Return names and types of an OpenAPI operation's answer as one open object, without any `$ref`.

    Every field is listed, but none is required: that would repeat each name, and lists may be omitted from a long
    answer (`mcpbridge.answers`). The fields of a record are listed once: further records with only such fields are
    plain objects, like the `items` beside the first item. A nullable field has a list of types, which saves a sixth.
    Clients that refuse such lists translate only the schemas of arguments.
    """
    answer = next(response for status, response in entry["responses"].items() if status.startswith("2"))
    [media] = answer["content"].values()
    typed = _typed(media["schema"], components)
    _list_records_once(typed, [])
    return typed


def _list_records_once(schema: Schema, listed: list[Schema]) -> None:
    """Drop the fields of records that one of `listed` has, and add the fields of others to it."""
    fields = schema.get("properties")
    if fields is not None:
        if any(fields.items() <= other.items() for other in listed):
            del schema["properties"]
            return
        listed.append(copy.deepcopy(fields))
        for inner in fields.values():
            _list_records_once(inner, listed)
    if "items" in schema:
        _list_records_once(schema["items"], listed)


def _typed(schema: Schema, components: Mapping[str, Schema]) -> Schema:
    schema = _resolved(schema, components)
    if branches := schema.get("anyOf", schema.get("oneOf")):
        return _joined([_typed(branch, components) for branch in branches])
    typed: Schema = {key: schema[key] for key in ("type", "enum") if key in schema}
    if "items" in schema:
        typed["items"] = _typed(schema["items"], components)
    if "properties" in schema:
        typed["properties"] = {name: _typed(inner, components) for name, inner in schema["properties"].items()}
    return typed


def _joined(branches: Sequence[Schema]) -> Schema:
    """Merge the branches of a nullable value, or of an open enum, which allows any value of its type."""
    joined = {key: value for branch in branches for key, value in branch.items()}
    types = list(dict.fromkeys(branch["type"] for branch in branches))
    if len(types) == 1:
        return {"type": types[0]}
    if "enum" in joined:
        joined["enum"] = [*joined["enum"], None]
    return joined | {"type": types}


def _name_sources(properties: dict[str, Schema], sources: Mapping[str, str]) -> None:
    """Add to each id the tool that returns it. For an id in a path that is the whole description."""
    for name in sources.keys() & properties.keys():
        described = properties[name]["description"]
        if sources[name] not in described:
            properties[name]["description"] = f"{described} From {sources[name]}.".strip()


def _shorten_entries(properties: dict[str, Schema]) -> None:
    """Drop descriptions that the list of the entry, or fields beside the list, already have."""
    for schema in properties.values():
        for branch in (schema, *schema.get("anyOf", ())):
            entry = branch.get("items", {})
            entry.pop("description", None)
            for name, field in entry.get("properties", {}).items():
                if field.get("description") == properties.get(name, {}).get("description"):
                    field.pop("description", None)


def _describe_forms(properties: dict[str, Schema]) -> None:
    """Add the form of dates and times to their descriptions, at every depth. A time is left to the service to check."""
    for schema in properties.values():
        for branch in (schema, *schema.get("anyOf", ())):
            _describe_forms(branch.get("items", {}).get("properties", {}))
            for form in (form for (key, value), form in _FORMS.items() if branch.get(key) == value):
                described = schema.get("description", "")
                if form not in described:
                    schema["description"] = f"{described} {form}.".strip()
            if branch.get("pattern") == TIME:
                del branch["pattern"]


def _add(properties: dict[str, Schema], name: str, schema: Schema) -> None:
    if name in properties:
        raise ImproperlyConfigured(f"two parameters are named {name}; a tool has one object for all of them")
    properties[name] = schema


def _body(entry: Mapping[str, Any], components: Mapping[str, Schema]) -> Schema:
    content = (entry.get("requestBody") or {}).get("content", {})
    for media in content.values():
        return _resolved(media["schema"], components)
    return {}


def _resolved(schema: Schema, components: Mapping[str, Schema]) -> Schema:
    if "$ref" not in schema:
        return schema
    beside = {key: value for key, value in schema.items() if key != "$ref"}
    return components[schema["$ref"].rsplit("/", 1)[1]] | beside


def _inlined(value: Any, components: Mapping[str, Schema]) -> Any:
    """Return a copy of `value` with every reference replaced, open, and without examples and redundant formats.

    An assistant might use an id in an example as a real one. All numbers in JSON are doubles.
    """
    if isinstance(value, list):
        return [_inlined(inner, components) for inner in value]
    if not isinstance(value, dict):
        return value
    schema = {
        key: _inlined(inner, components)
        for key, inner in _resolved(value, components).items()
        if not (key == "examples" and isinstance(inner, list)) and (key, inner) not in _LEFT_OUT
    }
    return _with_single_types(schema) if isinstance(schema.get("type"), list) else schema


def _with_single_types(schema: Schema) -> Schema:
    """Return the schema without lists of types, which clients that translate schemas refuse or drop."""
    about = {key: schema[key] for key in ("description", "default") if key in schema}
    limits = {key: value for key, value in schema.items() if key not in {"type", *about}}
    branches = [{"type": name} if name == "null" else {"type": name, **limits} for name in schema["type"]]
    return about | {"anyOf": branches}

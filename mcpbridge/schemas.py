"""The schemas of a tool, from the entry that `/openapi.json` has for the same operation.

Every session of an assistant reads all of them, so nothing is said twice. Arguments keep all that helps to fill them
in; an answer explains itself by its values, so of its fields only names and types are listed.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from mcpbridge.sources import SOURCES

Schema = dict[str, Any]


def input_schema(entry: Mapping[str, Any], components: Mapping[str, Schema]) -> Schema:
    """Path, query and body parameters of an OpenAPI operation as one closed object, without any `$ref`.

    Raises:
        ImproperlyConfigured: two parameters have one name.
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
    _name_sources(inlined)
    _shorten_entries(inlined)
    schema: Schema = {"type": "object", "properties": inlined, "additionalProperties": False}
    if required:
        schema["required"] = required
    return schema


def output_schema(entry: Mapping[str, Any], components: Mapping[str, Schema]) -> Schema:
    """Names and types of the fields that an OpenAPI operation answers, as one open object without any `$ref`.

    Every field is there, but none is required: that would list each name again, and lists may be left out of an answer
    that would be too long (`mcpbridge.answers`). A field that may be null has a list of types, which saves a sixth:
    clients that refuse one translate the schemas of arguments only.
    """
    answer = next(response for status, response in entry["responses"].items() if status.startswith("2"))
    [media] = answer["content"].values()
    return _typed(media["schema"], components)


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


def _name_sources(properties: dict[str, Schema]) -> None:
    """Say of each id which tool answers it; of one in a path that is all there is to say."""
    for name in SOURCES.keys() & properties.keys():
        described = properties[name]["description"]
        if SOURCES[name] not in described:
            properties[name]["description"] = f"{described} From {SOURCES[name]}.".strip()


def _shorten_entries(properties: dict[str, Schema]) -> None:
    """Drop descriptions that the list of the entry, or fields next to the list, already have."""
    for schema in properties.values():
        for branch in (schema, *schema.get("anyOf", ())):
            entry = branch.get("items", {})
            entry.pop("description", None)
            for name, field in entry.get("properties", {}).items():
                if field.get("description") == properties.get(name, {}).get("description"):
                    field.pop("description", None)


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
    """A copy of `value` with every reference replaced, without examples and without the format `double`.

    An assistant might take an id in an example for a real one. All numbers of JSON are doubles.
    """
    if isinstance(value, list):
        return [_inlined(inner, components) for inner in value]
    if not isinstance(value, dict):
        return value
    schema = {
        key: _inlined(inner, components)
        for key, inner in _resolved(value, components).items()
        if not (key == "examples" and isinstance(inner, list)) and (key, inner) != ("format", "double")
    }
    return _with_single_types(schema) if isinstance(schema.get("type"), list) else schema


def _with_single_types(schema: Schema) -> Schema:
    """The same schema without a list of types, which clients that translate schemas refuse or drop."""
    about = {key: schema[key] for key in ("description", "default") if key in schema}
    limits = {key: value for key, value in schema.items() if key not in {"type", *about}}
    branches = [{"type": name} if name == "null" else {"type": name, **limits} for name in schema["type"]]
    return about | {"anyOf": branches}

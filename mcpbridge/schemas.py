"""The schemas of a tool, from the entry that `/openapi.json` has for the same operation."""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ImproperlyConfigured

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
        _add(properties, parameter["name"], {"description": parameter["description"], **parameter["schema"]})
        if parameter.get("required"):
            required.append(parameter["name"])
    body = _body(entry, components)
    for name, declared in body.get("properties", {}).items():
        _add(properties, name, declared)
    required += body.get("required", [])
    schema: Schema = {"type": "object", "properties": _inlined(properties, components), "additionalProperties": False}
    if required:
        schema["required"] = required
    return schema


def output_schema(entry: Mapping[str, Any], components: Mapping[str, Schema], *, may_leave_out: bool) -> Schema:
    """The record that an OpenAPI operation answers, as one open object without any `$ref`.

    Args:
        may_leave_out: whether lists may be missing, as they may from an answer that would be too long.
    """
    answer = next(response for status, response in entry["responses"].items() if status.startswith("2"))
    [media] = answer["content"].values()
    schema = _undescribed(_inlined(media["schema"], components))
    return _with_optional_lists(schema) if may_leave_out else schema


def _undescribed(schema: Schema) -> Schema:
    """A copy without descriptions: names tell an assistant enough, and the list of tools is read in every session."""
    kept = {key: value for key, value in schema.items() if key not in {"title", "description"}}
    if "properties" in kept:
        kept["properties"] = {name: _undescribed(inner) for name, inner in kept["properties"].items()}
    if "items" in kept:
        kept["items"] = _undescribed(kept["items"])
    for branches in {"anyOf", "oneOf"} & kept.keys():
        kept[branches] = [_undescribed(inner) for inner in kept[branches]]
    return kept


def _with_optional_lists(schema: Schema) -> Schema:
    properties = {name: _with_optional_lists(inner) for name, inner in schema.get("properties", {}).items()}
    if "items" in schema:
        return schema | {"items": _with_optional_lists(schema["items"])}
    if not properties:
        return schema
    required = [name for name in schema.get("required", []) if properties[name].get("type") != "array"]
    return schema | {"properties": properties, "required": required}


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
    """A copy of `value` with every reference replaced, and without examples.

    An assistant might take an id in an example for a real one.
    """
    if isinstance(value, list):
        return [_inlined(inner, components) for inner in value]
    if not isinstance(value, dict):
        return value
    schema = {
        key: _inlined(inner, components)
        for key, inner in _resolved(value, components).items()
        if not (key == "examples" and isinstance(inner, list))
    }
    return _with_single_types(schema) if isinstance(schema.get("type"), list) else schema


def _with_single_types(schema: Schema) -> Schema:
    """The same schema without a list of types, which clients that translate schemas refuse or drop."""
    about = {key: schema[key] for key in ("description", "default") if key in schema}
    limits = {key: value for key, value in schema.items() if key not in {"type", *about}}
    branches = [{"type": name} if name == "null" else {"type": name, **limits} for name in schema["type"]]
    return about | {"anyOf": branches}

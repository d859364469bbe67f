"""The promises of the v1 description, one per line, so that a broken promise is a missing line.

Spec, Versioning 2: v1 only adds. There are two sorts of lines. Promises may only be added. Demands on client input may
only be removed from a known operation or schema.
"""

import re
from collections.abc import Iterator
from typing import Any

LIMITS = ("format", "pattern", "const", "minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems")
DEMANDS = " demands "
"""The separator of a demand's two halves."""

_WORD = re.compile(r"\b")


def promises(description: Any) -> set[str]:
    """Every line of both sorts in `description`, an OpenAPI document."""
    return {*_of_operations(description), *_of_schemas(description)}


def broken(kept: set[str], found: set[str]) -> list[str]:
    """Return the promises of `kept` that `found` lacks, and the demands of `found` that `kept` lacks."""
    lost = {line for line in kept - found if DEMANDS not in line and not _is_replaced(line, kept, found)}
    known = {_subject(line) for line in kept}
    new = {line for line in found - kept if DEMANDS in line and _subject(line) in known}
    return sorted(lost | new)


def _is_replaced(line: str, kept: set[str], found: set[str]) -> bool:
    """Return whether a schema that replaces the one of `line` promises at least as much and demands no more."""
    place, _, form = line.partition(": ")
    for other in found - kept:
        old_words, new_words = _WORD.split(form), _WORD.split(other.removeprefix(f"{place}: "))
        if not other.startswith(f"{place}: "):
            continue
        if _lost_a_bound(place, form, other.removeprefix(f"{place}: ")):
            return True
        if len(old_words) != len(new_words):
            continue
        different = [pair for pair in zip(old_words, new_words, strict=True) if pair[0] != pair[1]]
        if len(different) == 1:
            [(old, new)] = different
            was, now = _about(old, kept), _about(new, found)
            promised = [f"{new}{rest}" for rest in was if not rest.startswith(DEMANDS)]
            kept_all = all(one in found or _is_replaced(one, kept, found) for one in promised)
            return bool(was) and kept_all and {rest for rest in now if rest.startswith(DEMANDS)} <= was
    return False


def _lost_a_bound(place: str, was: str, now: str) -> bool:
    """Return whether a query parameter has lost bounds and nothing else: it takes what it took, and more."""
    lost = [part for part in was.split(", ") if part not in now.split(", ")]
    remaining = [part for part in was.split(", ") if part not in lost]
    return " query " in place and now == ", ".join(remaining) and all(part.split(" ")[0] in LIMITS for part in lost)


def _about(schema: str, lines: set[str]) -> set[str]:
    """The lines about a schema, without its name."""
    return {line.removeprefix(schema) for line in lines if _subject(line) == schema}


def refreshed(kept: set[str], found: set[str]) -> set[str]:
    """`kept` with the additions of `found`. Old lines stay, except demands and replaced schemas."""
    stays = {line for line in kept - found if DEMANDS not in line and not _is_replaced(line, kept, found)}
    return stays | (found - set(broken(kept, found)))


def _subject(line: str) -> str:
    """The operation or schema of a line."""
    return line.partition(" ")[0]


def _of_operations(description: Any) -> Iterator[str]:
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            name = operation["operationId"]
            yield f"{name} is {method.upper()} {path}"
            for parameter in operation.get("parameters", []):
                place = f"{parameter['in']} {parameter['name']}"
                yield from _of_schema(f"{name} {place}", parameter["schema"])
                if parameter.get("required"):
                    yield f"{name}{DEMANDS}{place}"
            for kind, content in operation.get("requestBody", {}).get("content", {}).items():
                yield f"{name} takes {kind}: {_form(content['schema'])}"
            if operation.get("requestBody", {}).get("required"):
                yield f"{name}{DEMANDS}a body"
            for status, response in operation["responses"].items():
                yield f"{name} answers {status}"
                for kind, content in response.get("content", {}).items():
                    yield f"{name} answers {status} {kind}: {_form(content['schema'])}"


def _of_schemas(description: Any) -> Iterator[str]:
    sent = _sent(description)
    for name, schema in description["components"]["schemas"].items():
        if "properties" not in schema:
            yield from _of_schema(name, schema)
        for field, property_ in schema.get("properties", {}).items():
            yield from _of_schema(f"{name} {field}", property_)
        for field in schema.get("required", []):
            yield f"{name}{DEMANDS}{field}" if name in sent else f"{name} always has {field}"


def _of_schema(place: str, schema: Any) -> Iterator[str]:
    """The form of a value, its default, and each value of an open list."""
    yield f"{place}: {_form(schema)}"
    if "default" in schema:
        yield f"{place} is {schema['default']!r} by default"
    for one in (schema, *schema.get("anyOf", [])):
        for value in one.get("enum", []):
            yield f"{place} may be {value!r}"


def _form(schema: Any) -> str:
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if "anyOf" in schema:
        return " or ".join(map(_form, schema["anyOf"]))
    types = schema.get("type", "anything")
    limits = [f"{limit} {schema[limit]}" for limit in LIMITS if limit in schema]
    of = [f"of {_form(schema['items'])}"] if "items" in schema else []
    return ", ".join([types if isinstance(types, str) else " or ".join(types), *of, *limits])


def _sent(description: Any) -> set[str]:
    """The names of the schemas that clients send, including nested ones."""
    schemas = description["components"]["schemas"]
    pending = [
        operation["requestBody"]
        for methods in description["paths"].values()
        for operation in methods.values()
        if "requestBody" in operation
    ]
    found: set[str] = set()
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            name = str(node.get("$ref", "")).rpartition("/")[2]
            if name and name not in found:
                found.add(name)
                pending.append(schemas[name])
            pending += node.values()
        elif isinstance(node, list):
            pending += node
    return found

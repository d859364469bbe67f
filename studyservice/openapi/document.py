"""The OpenAPI document of the service, and its schemas in words for the reference: type, limits and meaning."""

from collections.abc import Iterator, Mapping
from functools import cache
from threading import Lock
from typing import Any, NamedTuple

from drf_spectacular.generators import SchemaGenerator

_one_at_a_time = Lock()


def document(*, only_tools: bool = False) -> dict[str, Any]:
    """Return the OpenAPI document, of all operations or only of those that are tools. Cached.

    drf-spectacular loads its extensions on first use, which fails in two threads at once.
    """
    with _one_at_a_time:
        return _document(only_tools)


@cache
def _document(only_tools: bool) -> dict[str, Any]:
    generator = _Generator(only_tools)
    schema: dict[str, Any] = generator.get_schema(public=True)  # type: ignore[no-untyped-call]  # as below
    return schema


class _Generator(SchemaGenerator):
    """Tells each view which operations are described (`OperationSchema.is_excluded`)."""

    def __init__(self, only_tools: bool) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # drf-spectacular is partly untyped
        self.only_tools = only_tools

    def create_view(self, callback: Any, method: str, request: Any = None) -> Any:
        """Return the view of a route."""
        view: Any = super().create_view(callback, method, request)  # type: ignore[no-untyped-call]  # as above
        view.only_tools = self.only_tools
        return view


Schema = Mapping[str, Any]

_FORMATS = {"uuid": "UUID", "date": "date", "date-time": "timestamp", "binary": "file"}


class Field(NamedTuple):
    """One field or parameter.

    Attributes:
        type: in words, like `list of UUID or null`.
        limits: in words; may be empty.
        fields: of the object, or of the objects in the list, that it contains.
    """

    name: str
    type: str
    required: bool
    limits: str
    description: str
    fields: tuple["Field", ...]


class Fields:
    """Reads schemas, resolving references to components."""

    def __init__(self, components: Mapping[str, Schema]) -> None:
        self._components = components

    def of(self, schema: Schema, *, above: tuple[str, ...] = ()) -> tuple[Field, ...]:
        """Return the fields of an object, or of the objects in a list.

        Args:
            above: names of the enclosing components, which are not expanded again.
        """
        schema, above = self._object(schema, above)
        required = schema.get("required", ())
        return tuple(
            self.field(name, inner, required=name in required, above=above)
            for name, inner in schema.get("properties", {}).items()
        )

    def field(self, name: str, schema: Schema, *, required: bool, above: tuple[str, ...] = ()) -> Field:
        """Return one field with that schema."""
        described = schema.get("description") or self._resolved(schema).get("description", "")
        return Field(
            name, self._type(schema), required, "; ".join(self._limits(schema)), described, self.of(schema, above=above)
        )

    def example(self, schema: Schema) -> Any:
        """Return the example of a component, or None."""
        return next(iter(self._resolved(schema).get("examples", ())), None)

    def _resolved(self, schema: Schema) -> Schema:
        """Return the component that a schema refers to, or the schema itself."""
        return self._components[_name(schema)] if "$ref" in schema else schema

    def _object(self, schema: Schema, above: tuple[str, ...]) -> tuple[Schema, tuple[str, ...]]:
        """Return the object schema behind a reference, a list or a nullable schema."""
        if "$ref" in schema:
            name = _name(schema)
            return ({}, above) if name in above else self._object(self._components[name], (*above, name))
        for one in (schema.get("items"), *_choices(schema)):
            if one is not None and one.get("type") != "null":
                return self._object(one, above)
        return schema, above

    def _type(self, schema: Schema) -> str:
        schema = self._resolved(schema)
        if choices := _choices(schema):
            words = list(dict.fromkeys(self._type(one) for one in choices))
            return " or ".join(words)
        names = schema.get("type", "any value")
        names = [names] if isinstance(names, str) else names
        return " or ".join(self._word(name, schema) for name in names)

    def _word(self, name: str, schema: Schema) -> str:
        if name == "array":
            return f"list of {self._type(schema.get('items', {}))}"
        return str(_FORMATS.get(schema.get("format", ""), name)) if name == "string" else name

    def _limits(self, schema: Schema) -> Iterator[str]:
        """Yield the limits of a value, besides its type."""
        schema = self._resolved(schema)
        for one in (schema, *_choices(schema), schema.get("items", {})):
            if "enum" in self._resolved(one):
                yield ", ".join(str(value) for value in self._resolved(one)["enum"] if value is not None)
        if "enum" not in schema:
            yield from _span(schema, "minLength", "maxLength", "characters")
        yield from _span(schema, "minimum", "maximum", "")
        yield from _span(schema, "minItems", "maxItems", "entries")
        default = schema.get("default")
        if default is not None:
            yield f"{str(default).lower() if isinstance(default, bool) else default} unless given"


def _span(schema: Schema, least: str, most: str, unit: str) -> Iterator[str]:
    low, high = schema.get(least), schema.get(most)
    if high is not None:
        yield (f"{low:,} to {high:,} {unit}" if low is not None else f"at most {high:,} {unit}").strip()
    elif low:
        yield f"at least {low:,} {unit}".strip()


def _choices(schema: Schema) -> tuple[Schema, ...]:
    return (*schema.get("anyOf", ()), *schema.get("oneOf", ()))


def _name(schema: Schema) -> str:
    return str(schema["$ref"]).rsplit("/", 1)[1]

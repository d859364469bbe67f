"""Generate `/openapi.json` from the operations' own declarations."""

from functools import cached_property
from typing import Any
from uuid import UUID

from django.apps import apps
from django.conf import settings
from drf_spectacular.extensions import OpenApiSerializerFieldExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework import serializers

from studyservice.http.uploads import MULTIPART
from studyservice.openapi.answers import (
    ERRORS,
    HEADERS,
    IDEMPOTENCY_KEY,
    REPLAYED,
    ErrorEnvelopeRow,
    Schema,
    error_response,
    header_refs,
)
from studyservice.operations.answers import Record, record_of
from studyservice.operations.declaration import Operation, Scope
from studyservice.operations.fields import OpenChoiceField
from studyservice.operations.uploads import PART

_EXAMPLES = {
    "uuid": "3f9f5a9e-6f5e-4a58-9a43-0d4a0b6f2c01",
    "date": "2030-11-21",
    "date-time": "2030-11-21T08:30:00Z",
}
"""Examples for parameters, by format."""

_NAMED_EXAMPLES = {"name": "Organelles", "q": "midterm", "label": "BIO 210"}
"""Examples for text parameters, by name."""


class OperationSchema(AutoSchema):
    """Reads the declarations of `@operation`."""

    view: Any

    @cached_property
    def declared(self) -> Operation:
        found: Operation = getattr(self.view, self.view.action)
        return found

    def is_excluded(self) -> bool:
        """Return whether only tools are described, and this is none."""
        # `check --deploy` generates the description without `document`, which sets the attribute.
        return getattr(self.view, "only_tools", False) and not self.declared.tool

    def get_operation_id(self) -> str:
        return self.declared.id

    def get_summary(self) -> str:
        return self.declared.title

    def get_description(self) -> str:  # type: ignore[override]  # has fewer arguments than in DRF
        return self.declared.description

    def get_tags(self) -> list[str]:
        return [self.view.tag]

    def get_auth(self) -> list[Schema]:
        """Return each way to send a credential, with the scope."""
        return [{"bearer": []}, {"apiKey": []}, {"oauth2": [self.declared.scope.value]}]

    def get_override_parameters(self) -> list[Any]:
        parameters: list[Any] = [
            OpenApiParameter(name, UUID, OpenApiParameter.PATH, description=f"The {name.removesuffix('_id')}'s id.")
            for name in self.declared.path_ids
        ]
        upload = self.declared.upload
        if self.declared.query is not None and not (upload and upload.fields):  # else the form has them
            parameters.append(self.declared.query)
        if self.method == "POST":
            parameters.append(OpenApiParameter(location=OpenApiParameter.HEADER, **IDEMPOTENCY_KEY))
        return parameters

    def get_request_serializer(self) -> Any:
        return self.declared.body

    def _get_request_body(self, direction: Any = "request") -> Any:
        """Return a file as part of a form or as the whole body, or JSON as drf-spectacular describes it, or both.

        The form is first, because generators take the first.
        """
        upload = self.declared.upload
        if upload is None:
            return super()._get_request_body(direction)
        file = {"type": "string", "format": "binary", "description": f"At most {upload.max_bytes} bytes."}
        properties = {PART: file}
        declares = self.declared.body or self.declared.query
        if declares is not None and upload.fields:
            beside = self._map_basic_serializer(declares(), direction)["properties"]
            properties |= {name: beside[name] for name in upload.fields}
        form = {"type": "object", "properties": properties, "required": [PART]}
        content = {MULTIPART: {"schema": form}} | {name: {"schema": file} for name in upload.media_types}
        if self.declared.body is not None:
            content |= super()._get_request_body(direction)["content"]
        return {"content": content, "required": True}

    def get_response_serializers(self) -> Any:
        statuses = sorted({self.declared.status, self.declared.other_status or self.declared.status})
        responses: dict[Any, Any]
        if self.declared.downloads:
            file = OpenApiResponse(OpenApiTypes.BINARY, "The file.")
            responses = {(status, media_type): file for status in statuses for media_type in self.declared.downloads}
        else:
            record = record_of(self.declared.answer)
            answer = _page_of(record) if self.declared.many else record
            responses = {status: OpenApiResponse(answer, "Success.", examples=None) for status in statuses}
        for status in self.declared.error_statuses(self.method):
            responses[status] = OpenApiResponse(record_of(ErrorEnvelopeRow), ERRORS[status].text)
        return responses

    def get_extensions(self) -> Schema:
        """Return the extensions that connector platforms read."""
        return {"x-openai-isConsequential": self.declared.consequential}


class OpenChoice(OpenApiSerializerFieldExtension):
    """Publishes an open enum as its own component, so that generated clients accept unknown values."""

    target_class = OpenChoiceField

    def get_name(self) -> str:
        """Return the component's name."""
        name: str = self.target.component
        return name

    def map_serializer_field(self, auto_schema: AutoSchema, direction: str) -> Schema:
        """Return a schema of the current values or any other."""
        values = list(self.target.choices)
        return {
            "anyOf": [{"type": "string", "enum": values}, {"type": "string"}],
            "description": "One of these values, or one that is added later.",
            "examples": values[:1],
        }


def _page_of(record: type[Record]) -> type[Record]:
    """Return the Page (spec, Common shapes) of a record."""
    fields = {
        "__doc__": f"A page of {record.__name__.lower()}s.",
        "data": record(many=True, help_text="The objects."),
        "has_more": serializers.BooleanField(help_text="Whether there is another page."),
        "next_cursor": serializers.CharField(
            allow_null=True, help_text="Pass it as cursor for the next page; null on the last one."
        ),
        "example": {"data": [record.example], "has_more": False, "next_cursor": None},
    }
    return type(f"{record.__name__}Page", (Record,), fields)


def finish(result: Schema, generator: Any, request: Any, public: bool) -> Schema:
    """Postprocess the document: closed bodies, shared errors and headers, security schemes, examples."""
    schemas = result["components"]["schemas"]
    _add_examples(schemas)
    components = result["components"]
    components["securitySchemes"] = _security_schemes()
    components["headers"] = HEADERS | REPLAYED
    components["responses"] = {error.name: error_response(error) for error in ERRORS.values()}
    used = {tag for path in result["paths"].values() for operation in path.values() for tag in operation["tags"]}
    result["tags"] = [
        {"name": name, "description": text}
        for app in apps.get_app_configs()
        for name, text in getattr(app, "headings", {}).items()
        if name in used
    ]
    _tidy(result)
    for path in result["paths"].values():
        for method, operation in path.items():
            _finish_operation(method, operation, schemas)
    return result


def _finish_operation(method: str, operation: Schema, schemas: Schema) -> None:
    for parameter in operation.get("parameters", []):
        _add_parameter_example(parameter["schema"])
        if parameter["name"] in _NAMED_EXAMPLES:
            parameter["schema"]["examples"] = [_NAMED_EXAMPLES[parameter["name"]]]
        if "items" in parameter["schema"]:
            parameter |= {"style": "form", "explode": False}  # separated by commas
    for content in operation.get("requestBody", {}).get("content", {}).values():
        _close(content["schema"], schemas, partial="/Patched" in content["schema"].get("$ref", ""))
    for code, response in operation["responses"].items():
        known = ERRORS.get(int(code))
        if known is not None:
            operation["responses"][code] = {"$ref": f"#/components/responses/{known.name}"}
        else:
            response["headers"] = header_refs(HEADERS | REPLAYED if method == "post" else HEADERS)


def _close(schema: Schema, schemas: Schema, *, partial: bool) -> None:
    """Publish a request body as closed (spec, Notes). A partial one has no defaults."""
    if "$ref" in schema:
        schema = schemas[schema["$ref"].rsplit("/", 1)[1]]
    if "properties" in schema:
        schema["additionalProperties"] = False
    for inner in schema.get("properties", {}).values():
        if partial:
            inner.pop("default", None)
        if "items" in inner:
            _close(inner["items"], schemas, partial=partial)


def _add_examples(schemas: Schema) -> None:
    for base in _subclasses(serializers.Serializer):
        example = vars(base).get("example")
        if example is None:
            continue
        for component in (base.__name__, f"Patched{base.__name__}"):
            if component in schemas:
                schemas[component]["examples"] = [example]


def _add_parameter_example(schema: Schema) -> None:
    """Add an example beside the type, where documentation shows it without filling it in. Opaque texts get none."""
    if "enum" in schema:
        schema["examples"] = schema["enum"][:1]
    elif "default" in schema:
        schema["examples"] = [schema["default"]]
    elif "minimum" in schema:
        schema["examples"] = [schema["minimum"]]
    elif schema.get("format") in _EXAMPLES:
        schema["examples"] = [_EXAMPLES[schema["format"]]]
    elif "items" in schema:
        _add_parameter_example(schema["items"])
        schema["examples"] = [schema["items"].pop("examples", [])]


def _tidy(value: Any) -> None:
    """Remove drf-spectacular's own mark, and put a description beside its reference, everywhere.

    OpenAPI 3.1 allows the latter. drf-spectacular writes 3.0's `allOf` of one.
    """
    if isinstance(value, dict):
        value.pop("x-spec-enum-id", None)
        match value.get("allOf"):
            case [{"$ref": reference}]:
                del value["allOf"]
                value["$ref"] = reference
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            _tidy(inner)


def _subclasses(base: type[Any]) -> list[type[Any]]:
    return [found for child in base.__subclasses__() for found in (child, *_subclasses(child))]


def _security_schemes() -> Schema:
    return {
        "bearer": {
            "type": "http",
            "scheme": "bearer",
            "description": "An API key or an OAuth access token.",
        },
        "apiKey": {
            "type": "apiKey",
            "in": "header",
            "name": "X-API-Key",
            "description": "An API key.",
        },
        "oauth2": {
            "type": "oauth2",
            "flows": {
                "authorizationCode": {
                    "authorizationUrl": f"{settings.BASE_URL}/oauth/authorize",
                    "tokenUrl": f"{settings.BASE_URL}/oauth/token",
                    "refreshUrl": f"{settings.BASE_URL}/oauth/token",
                    "scopes": {
                        Scope.READ.value: "See your profile, courses, deadlines, plans, grades and practice.",
                        Scope.WRITE.value: "Create, change and delete them.",
                    },
                }
            },
        },
    }

"""`/openapi.json` from the operations' own declarations."""

from functools import cached_property
from http import HTTPStatus
from typing import Any
from uuid import UUID

from django.conf import settings
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework import serializers

from studyservice.errors import (
    ApiError,
    Conflict,
    InsufficientScope,
    InternalError,
    InvalidRequest,
    NotFound,
    RateLimited,
    Unauthorized,
    ValidationFailed,
)
from studyservice.operations import Operation, Scope
from studyservice.serializers import Record

Schema = dict[str, Any]

_ERRORS: dict[HTTPStatus, tuple[type[ApiError], str]] = {
    HTTPStatus.BAD_REQUEST: (InvalidRequest, "Malformed JSON, wrong content type, or a bad cursor."),
    HTTPStatus.UNAUTHORIZED: (
        Unauthorized,
        "The credential is missing, invalid, expired or revoked.",
    ),
    HTTPStatus.FORBIDDEN: (
        InsufficientScope,
        "insufficient_scope: the credential lacks the scope. membership_required: the membership is not active.",
    ),
    HTTPStatus.NOT_FOUND: (NotFound, "There is no such object of this member's."),
    HTTPStatus.CONFLICT: (Conflict, "A count limit was reached."),
    HTTPStatus.UNPROCESSABLE_ENTITY: (
        ValidationFailed,
        "Input failed validation; details lists each field.",
    ),
    HTTPStatus.TOO_MANY_REQUESTS: (
        RateLimited,
        "Too many requests; Retry-After gives the seconds to wait.",
    ),
    HTTPStatus.INTERNAL_SERVER_ERROR: (InternalError, "A fault of the server."),
}

_HEADERS: dict[str, Schema] = {
    "X-Request-Id": {
        "description": "Names this request; quote it when you report a problem.",
        "schema": {"type": "string", "pattern": "^req_"},
    },
    "RateLimit-Limit": {
        "description": "Requests allowed per one-minute window.",
        "schema": {"type": "integer"},
    },
    "RateLimit-Remaining": {
        "description": "Requests left in this window.",
        "schema": {"type": "integer"},
    },
    "RateLimit-Reset": {
        "description": "Seconds until the window ends.",
        "schema": {"type": "integer"},
    },
}

_TAGS = {
    "Member": "Who the credential belongs to.",
    "Courses": "Courses and their syllabus text.",
    "Items": "Exams, quizzes, assignments, labs, papers, projects: what is due when.",
    "Planning": "Milestones that lead up to an item, and the agenda of the days ahead.",
    "Grades": "Weighted categories, scores, and the current grade.",
    "Practice": "Accuracy, streaks and weak topics.",
    "Vocabulary": "Flashcard decks studied with spaced repetition.",
}


class DetailRecord(Record):
    """One field that failed validation."""

    field = serializers.CharField(help_text="The field's name, with a path if it is nested.")
    message = serializers.CharField(help_text="What is wrong with it.")


class ErrorBodyRecord(Record):
    """What went wrong."""

    type = serializers.CharField(help_text="The kind of error, for programs.")
    message = serializers.CharField(help_text="What went wrong and what to do, for people.")
    request_id = serializers.CharField(help_text="Equal to the X-Request-Id header.")
    details = DetailRecord(many=True, required=False, help_text="With validation_failed: every field that is wrong.")


class ErrorRecord(Record):
    """Every error response of the API."""

    error = ErrorBodyRecord(help_text="The error.")


class OperationSchema(AutoSchema):
    """Reads what `@operation` declared."""

    view: Any

    @cached_property
    def declared(self) -> Operation:
        """The declarations of the action."""
        found: Operation = getattr(self.view, self.view.action).operation
        return found

    def get_operation_id(self) -> str:
        """The action's name."""
        return self.declared.id

    def get_summary(self) -> str:
        """The title."""
        return self.declared.title

    def get_description(self) -> str:  # type: ignore[override]  # drf-spectacular's, with fewer arguments than DRF's
        """The docstring."""
        return self.declared.description

    def get_tags(self) -> list[str]:
        """The viewset's heading."""
        return [self.view.tag]

    def get_auth(self) -> list[Schema]:
        """Each way to send a credential, with the scope."""
        return [{"bearer": []}, {"apiKey": []}, {"oauth2": [self.declared.scope.value]}]

    def get_override_parameters(self) -> list[Any]:
        """Path ids, and the query."""
        parameters: list[Any] = [
            OpenApiParameter(name, UUID, OpenApiParameter.PATH, description=f"The {name.removesuffix('_id')}'s id.")
            for name in self.declared.path_ids
        ]
        if self.declared.query is not None:
            parameters.append(self.declared.query)
        return parameters

    def get_request_serializer(self) -> Any:
        """The body."""
        return self.declared.body

    def get_response_serializers(self) -> Any:
        """The answer and every error."""
        answer: Any = self.declared.answer
        if self.declared.many:
            answer = _page_of(answer)
        responses: dict[int, Any] = {self.declared.status: OpenApiResponse(answer, "Success.", examples=None)}
        for status in self.declared.error_statuses():
            responses[status] = OpenApiResponse(ErrorRecord, _ERRORS[status][1])
        return responses

    def get_extensions(self) -> Schema:
        """The mark that connector platforms read."""
        return {"x-openai-isConsequential": self.declared.consequential}

    def get_serializer_name(self, serializer: Any, direction: Any) -> str:
        """A record's class name without the ending, a body's as it is."""
        name: str = serializer.__class__.__name__
        return name.removesuffix("Record")


def _page_of(answer: type[Record]) -> type[Record]:
    """The Page (spec, Common shapes) of a record."""
    fields = {
        "__doc__": f"A page of {answer.__name__.removesuffix('Record').lower()}s.",
        "data": answer(many=True, help_text="The objects."),
        "has_more": serializers.BooleanField(help_text="Whether there is another page."),
        "next_cursor": serializers.CharField(
            allow_null=True, help_text="Pass it as cursor for the next page; null on the last one."
        ),
        "example": {"data": [answer.example], "has_more": False, "next_cursor": None},
    }
    return type(answer.__name__.replace("Record", "PageRecord"), (Record,), fields)


def finish(result: Schema, generator: Any, request: Any, public: bool) -> Schema:
    """Postprocessing: closed bodies, shared errors and headers, security schemes, examples."""
    schemas = result["components"]["schemas"]
    _add_examples(schemas)
    components = result["components"]
    components["securitySchemes"] = _security_schemes()
    components["headers"] = _HEADERS
    components["responses"] = {error.__name__: _error_response(error, text) for error, text in _ERRORS.values()}
    result["tags"] = [{"name": name, "description": text} for name, text in _TAGS.items()]
    _drop(result, "x-spec-enum-id")
    for path in result["paths"].values():
        for operation in path.values():
            _finish_operation(operation, schemas)
    return result


def _finish_operation(operation: Schema, schemas: Schema) -> None:
    for content in operation.get("requestBody", {}).get("content", {}).values():
        _close(content["schema"], schemas, partial="/Patched" in content["schema"].get("$ref", ""))
    for code, response in operation["responses"].items():
        known = _ERRORS.get(HTTPStatus(int(code)))
        if known is not None:
            operation["responses"][code] = {"$ref": f"#/components/responses/{known[0].__name__}"}
        else:
            response["headers"] = _header_refs()


def _close(schema: Schema, schemas: Schema, *, partial: bool) -> None:
    """Publish a request body as closed (spec, Notes); a partial one has no defaults."""
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
        name = base.__name__.removesuffix("Record")
        for component in (name, f"Patched{name}"):
            if component in schemas:
                schemas[component]["examples"] = [example]


def _drop(value: Any, key: str) -> None:
    """Remove drf-spectacular's own mark wherever it stands."""
    if isinstance(value, dict):
        value.pop(key, None)
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            _drop(inner, key)


def _subclasses(base: type[Any]) -> list[type[Any]]:
    return [found for child in base.__subclasses__() for found in (child, *_subclasses(child))]


def _header_refs() -> Schema:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in _HEADERS}


def _error_response(error: type[ApiError], text: str) -> Schema:
    example: Schema = {
        "type": error.type,
        "message": error.default_message,
        "request_id": "req_3q2nVw8yZt5kLx0aBcD1eFgH",
    }
    if error is ValidationFailed:
        example["details"] = [{"field": "title", "message": "Must not be empty."}]
    headers = _header_refs()
    if error is RateLimited:
        headers["Retry-After"] = {
            "description": "Seconds to wait.",
            "schema": {"type": "integer"},
        }
    if error is Unauthorized:
        headers["WWW-Authenticate"] = {
            "description": "Names the protected resource metadata.",
            "schema": {"type": "string"},
        }
    return {
        "description": text,
        "headers": headers,
        "content": {
            "application/json": {
                "schema": {"$ref": "#/components/schemas/Error"},
                "example": {"error": example},
            }
        },
    }


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

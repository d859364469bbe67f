"""The methods of prompts: list them, write one for a member, complete their arguments.

Prompts read data through the tools' own operations, with the credential, scope and membership of the request, which was
already counted. A prompt cannot report a failure in its result as a tool does, so errors of operations become errors of
the protocol.
"""

import logging
from typing import NamedTuple, cast

from django.http import HttpRequest
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CompleteRequestParams,
    CompleteResult,
    Completion,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    PaginatedRequestParams,
    PromptMessage,
    PromptReference,
    TextContent,
)

from accounts.api.middleware import require_membership
from mcpbridge.answers import failure_text
from mcpbridge.prompt_texts import Occasion
from mcpbridge.prompts import COURSE, PROMPTS, AssistantPrompt, Choice, NamedKind, choices, completing, matching
from mcpbridge.tools import ToolArguments, tools
from mcpbridge.unknown import told
from studyservice.database.statements import Row
from studyservice.http.bodies import REFUSED
from studyservice.http.requests import TOOL_FAILURE
from studyservice.operations.declaration import Scope
from studyservice.operations.errors import ApiError, InternalError
from studyservice.rows.access import CREDENTIAL, Credential

logger = logging.getLogger(__name__)

MAX_VALUES = 100
"""Maximum number of values in one completion (MCP, Completion)."""

_MAX_LIKE = 10
"""Number of names that an error suggests for a wrong one."""


async def list_prompts(context: ServerRequestContext, params: PaginatedRequestParams | None) -> ListPromptsResult:
    """Return every prompt, for every credential."""
    return ListPromptsResult(prompts=[prompt.definition for prompt in PROMPTS.values()])


async def get_prompt(context: ServerRequestContext, params: GetPromptRequestParams) -> GetPromptResult:
    """Return the prompt, written for the member whose credential the HTTP request carries.

    Raises:
        MCPError: the prompt does not exist, its arguments are wrong, or the member may not use it.
    """
    prompt = _prompt(params.name)
    request = cast(HttpRequest, context.request)  # set by `mcpbridge.running`
    credential = _admitted(request, prompt.names)
    value = _value(prompt, params.arguments or {})
    occasion = Occasion(
        today=credential.member.today(),
        time_zone=credential.member.time_zone,
        may_write=Scope.WRITE in credential.scopes,
        chosen=None if value is None else _chosen(request, prompt.names, value),
    )
    message = PromptMessage(role="user", content=TextContent(text=prompt.text(occasion)))
    return GetPromptResult(description=prompt.definition.description, messages=[message])


async def complete(context: ServerRequestContext, params: CompleteRequestParams) -> CompleteResult:
    """Return the possible names for the argument of a prompt.

    Raises:
        MCPError: there is nothing to complete, or the member may not use the prompt.
    """
    if not isinstance(params.ref, PromptReference):
        raise MCPError(INVALID_PARAMS, "There are no resources here; arguments of prompts are completed.")
    prompt = _prompt(params.ref.name)
    if params.argument.name != prompt.argument.name:
        raise _unknown_argument(prompt, params.argument.name)
    request = cast(HttpRequest, context.request)
    _admitted(request, prompt.names)
    labels = completing(_choices(request, prompt.names).offered, params.argument.value)
    completion = Completion(values=labels[:MAX_VALUES], total=len(labels), has_more=len(labels) > MAX_VALUES)
    return CompleteResult(completion=completion)


def _prompt(name: str) -> AssistantPrompt:
    if name not in PROMPTS:
        raise MCPError(INVALID_PARAMS, f"Unknown prompt: {told(name)}. prompts/list has the available ones.")
    return PROMPTS[name]


def _value(prompt: AssistantPrompt, arguments: dict[str, str]) -> str | None:
    """Return the subject of the prompt. None if the optional argument is missing or empty.

    Raises:
        MCPError: the required argument is missing, or there is another one.
    """
    for name in arguments:
        if name != prompt.argument.name:
            raise _unknown_argument(prompt, name)
    value = arguments.get(prompt.argument.name, "").strip()
    if prompt.argument.required and not value:
        raise MCPError(INVALID_PARAMS, f"{prompt.definition.name} needs {prompt.argument.name}: a name.")
    return value or None


def _unknown_argument(prompt: AssistantPrompt, name: str) -> MCPError:
    known = prompt.argument.name
    return MCPError(INVALID_PARAMS, f"Unknown argument {told(name)}: {prompt.definition.name} has only {known}.")


def _chosen(request: HttpRequest, names: NamedKind, value: str) -> Row:
    """Return the record that `value` names.

    Raises:
        MCPError: no record or more than one has that name.
    """
    offered, ended = _choices(request, names)
    found = matching(offered, value) or matching(ended, value)
    if len(found) == 1:
        return found[0].row
    message = f'There is {"more than one" if found else "no"} {names.noun} named "{told(value)}".'
    like = [choice.label for choice in found] or completing(offered, value) or completing(offered, "")
    if like:
        quoted = [f'"{label}"' for label in like[:_MAX_LIKE]]
        message += f" Available names: {', '.join(quoted)}."
    raise MCPError(INVALID_PARAMS, message)


def _admitted(request: HttpRequest, names: NamedKind) -> Credential:
    """Return the credential, if its member may use the tools of a prompt.

    Raises:
        MCPError: the membership is not active.
    """
    credential = CREDENTIAL.require(request)
    try:
        require_membership(credential.member, [tools()[names.tool].operation])
    except ApiError as error:
        raise _refused(request, error) from None
    return credential


class _Choices(NamedTuple):
    """The objects that an argument may name.

    Attributes:
        offered: by completions.
        ended: those of courses that have ended.
    """

    offered: list[Choice]
    ended: list[Choice]


def _choices(request: HttpRequest, names: NamedKind) -> _Choices:
    """Return all choices, from the operations that list them and their courses.

    Raises:
        MCPError: one of them failed.
    """
    rows = _listed(request, names)
    courses = rows if names is COURSE else _listed(request, COURSE)
    archived = {course["id"] for course in courses if course["archived"]}
    offered = [row for row in rows if row[names.course] not in archived]
    ended = [row for row in rows if row[names.course] in archived]
    return _Choices(choices(offered, names.details), choices(ended, names.details))


def _listed(request: HttpRequest, names: NamedKind) -> list[Row]:
    """Return every object of a kind.

    Raises:
        MCPError: the operation that lists them failed.
    """
    lookup = tools()[names.tool]
    try:
        page = lookup.viewset().run(lookup.operation, CREDENTIAL.require(request), ToolArguments({}))
    except ApiError as error:
        raise _refused(request, error) from None
    except Exception as error:  # for any error the assistant gets an internal error without details
        logger.exception("The names for a prompt could not be listed")
        raise _refused(request, InternalError.of(error)) from None
    return cast("list[Row]", page["data"])


def _refused(request: HttpRequest, failure: ApiError) -> MCPError:
    TOOL_FAILURE.set(request, failure)
    code = INTERNAL_ERROR if isinstance(failure, InternalError) else REFUSED
    return MCPError(code, failure_text(failure), {"type": failure.type})

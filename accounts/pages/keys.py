"""The key page: API keys, connected apps, the calendar address, and how to connect an assistant."""

import json
from dataclasses import replace
from http import HTTPStatus
from typing import NamedTuple
from uuid import UUID

from django import forms
from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render

from accounts.credentials.connections import CONNECTED_APPS
from accounts.credentials.keys import (
    MAX_ACTIVE_KEYS,
    active_keys,
    create_api_key,
    end_feed,
    ended_keys,
    feed_of,
    new_feed,
    revoke_api_key,
)
from accounts.credentials.models import ApiKey
from accounts.members.membership import standing
from accounts.members.models import Member
from accounts.pages.forms import name_field, status_of
from accounts.pages.limits import LimitsForm
from accounts.pages.signed_in import FORM, for_members
from studyservice.http.error_pages import counted, returns_input
from studyservice.operations.errors import Conflict
from studyservice.rates.limiter import Rate

_NAME = "study-data"
"""The service's name in the snippets."""

_ADDRESS = "MCP-ADDRESS"
"""The placeholder for our address in the snippets."""


class AssistantClient(NamedTuple):
    """An assistant and its instructions.

    Attributes:
        snippet: text to paste or run; empty if the address is enough.
        label: names the snippet for its copy button.
    """

    name: str
    how: str
    snippet: str = ""
    label: str = ""


_CLIENTS = (
    AssistantClient(
        "Claude (web, desktop, mobile)",
        "Open Settings, then Connectors, choose “Add custom connector” and paste the MCP address.",
    ),
    AssistantClient(
        "ChatGPT",
        "Open Settings, then Apps and connectors. Turn on developer mode under the advanced settings, choose "
        "“Create”, paste the MCP address and choose OAuth.",
    ),
    AssistantClient(
        "Claude Code",
        "Run this in a terminal, then type /mcp in Claude Code to sign in.",
        f"claude mcp add --transport http {_NAME} {_ADDRESS}",
        "Claude Code command",
    ),
    AssistantClient(
        "Codex",
        "Run this in a terminal; Codex opens the browser for you to sign in.",
        f"codex mcp add {_NAME} --url {_ADDRESS}",
        "Codex command",
    ),
    AssistantClient(
        "Gemini CLI",
        "Run this in a terminal, then type /mcp auth in Gemini CLI to sign in.",
        f"gemini mcp add --transport http {_NAME} {_ADDRESS}",
        "Gemini CLI command",
    ),
    AssistantClient(
        "VS Code",
        "Put this into .vscode/mcp.json and choose “Start” above the entry.",
        json.dumps({"servers": {_NAME: {"type": "http", "url": _ADDRESS}}}, indent=2),
        "VS Code configuration",
    ),
    AssistantClient(
        "Cursor",
        "Put this into ~/.cursor/mcp.json and choose “Connect” in the settings of Cursor, under MCP.",
        json.dumps({"mcpServers": {_NAME: {"url": _ADDRESS}}}, indent=2),
        "Cursor configuration",
    ),
    AssistantClient(
        "Another client, or one without a browser",
        "Choose Streamable HTTP as transport. Where no browser can open, send an API key as a header.",
        "Authorization: Bearer YOUR_API_KEY",
        "header",
    ),
)


EXPIRY_DAYS = (30, 60, 90, 180, 365)
"""Choices on the key page, in addition to never."""


class ApiKeyForm(forms.Form):
    """Creates an API key."""

    name = name_field(
        "key", ApiKey._meta.get_field("name").max_length, "A name you will recognize, like “Calendar script”."
    )
    may_write = forms.BooleanField(
        label="May change data",
        required=False,
        help_text="Leave it off for a read-only key.",
    )
    expires = forms.TypedChoiceField(
        label="Expires",
        choices=[*((str(days), f"in {days} days") for days in EXPIRY_DAYS), ("never", "never")],
        initial="90",
        coerce=lambda text: None if text == "never" else int(text),
        empty_value=None,
        help_text="Expiring keys are safer.",
        error_messages={"required": "Choose when it expires.", "invalid_choice": "Choose one of the listed times."},
    )


MAX_APPS = 50
"""Number of apps that the page lists, the newest first."""

MAX_PAST_KEYS = 20
"""Number of expired and revoked keys that the page lists, the newest first."""


@returns_input
@for_members(FORM)
def keys(request: HttpRequest, member: Member) -> HttpResponse:
    """List keys and apps. POST creates a key; only its response shows the secret."""
    posted = request.POST if request.method == "POST" else None
    form, limits = ApiKeyForm(posted), LimitsForm(posted, member, ends=False)
    if posted is not None and form.is_valid() & limits.is_valid():
        if refused := counted(request, Rate.API_KEYS, str(member.id), "Too many new keys"):
            return refused
        try:
            given = form.cleaned_data
            secret, key = create_api_key(
                member,
                given["name"],
                may_write=given["may_write"],
                expires_days=given["expires"],
                limits=limits.limits(),
            )
        except Conflict as error:
            form.add_error(None, error.message)
            return key_page(request, member, form, limits, status=error.status)
        else:
            return key_page(request, member, ApiKeyForm(), created=key, secret=secret)
    return key_page(request, member, form, limits, status=status_of(form, limits))


def key_page(
    request: HttpRequest,
    member: Member,
    form: ApiKeyForm,
    limits: LimitsForm | None = None,
    *,
    status: HTTPStatus = HTTPStatus.OK,
    created: ApiKey | None = None,
    secret: str = "",
    calendar_url: str = "",
) -> HttpResponse:
    """Render the page. A new key's `secret` or a new `calendar_url` is shown only this once."""
    active = list(active_keys(member))
    past = list(ended_keys(member)[:MAX_PAST_KEYS])
    apps = CONNECTED_APPS.get().connected_apps(member, most=MAX_APPS + 1)
    limits = limits or LimitsForm(None, member, ends=False)
    for key in (*active, *past):
        key.sees = limits.in_words(key.limited_to())
    mcp_url = f"{settings.BASE_URL}/mcp"
    context = {
        "form": form,
        "limits_form": limits,
        "active": active,
        "past": past,
        "full": len(active) >= MAX_ACTIVE_KEYS,
        "max_active": MAX_ACTIVE_KEYS,
        "created": created,
        "secret": secret,
        "calendar": feed_of(member),
        "calendar_url": calendar_url,
        "apps": [replace(app, sees=limits.in_words(app.limits)) for app in apps[:MAX_APPS]],
        "more_apps": len(apps) > MAX_APPS,
        "curl": f"curl -H 'Authorization: Bearer {secret}' {settings.BASE_URL}/v1/agenda",
        "mcp_url": mcp_url,
        "clients": [one._replace(snippet=one.snippet.replace(_ADDRESS, mcp_url)) for one in _CLIENTS],
        "time_zone": member.time_zone,
        "standing": standing(member),
    }
    return render(request, "accounts/keys.html", context, status=status)


@for_members(FORM)
def revoke_key(request: HttpRequest, member: Member, key_id: UUID) -> HttpResponse:
    """Ask on GET, revoke on POST."""
    key = get_object_or_404(member.api_keys, id=key_id)
    if request.method != "POST" and key.state() != "revoked":
        return render(request, "accounts/revoke_key.html", {"key": key})
    revoke_api_key(key)
    messages.success(request, f"The key “{key.name}” is revoked. It no longer works.")
    return redirect("keys")


@for_members(FORM)
def disconnect_app(request: HttpRequest, member: Member, app_id: UUID) -> HttpResponse:
    """Ask on GET, disconnect on POST."""
    app = CONNECTED_APPS.get().one(member, app_id)
    if app is None:
        raise Http404
    if request.method != "POST":
        return render(request, "accounts/disconnect_app.html", {"app": app})
    CONNECTED_APPS.get().disconnect(member, app_id)
    messages.success(request, f"“{app.name}” is disconnected. It can no longer reach your data.")
    return redirect("keys")


@for_members(FORM)
def calendar_address(request: HttpRequest, member: Member) -> HttpResponse:
    """Ask on GET whether to renew the address. Create one on POST; only its response shows the address."""
    if request.method != "POST":
        return render(request, "accounts/renew_calendar.html") if feed_of(member) else redirect("keys")
    if refused := counted(request, Rate.API_KEYS, str(member.id), "Too many new addresses"):
        return refused
    return key_page(request, member, ApiKeyForm(), calendar_url=new_feed(member))


@for_members(FORM)
def end_calendar_address(request: HttpRequest, member: Member) -> HttpResponse:
    """Ask on GET, end the address on POST."""
    if request.method != "POST":
        return render(request, "accounts/end_calendar.html") if feed_of(member) else redirect("keys")
    if end_feed(member.id):
        messages.success(request, "The calendar address no longer works.")
    return redirect("keys")

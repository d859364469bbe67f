"""API keys and calendar addresses for operators, and a page that finds a leaked credential.

Operators paste the credential, and its hash leads to its page. It is sent in the body of a form and hashed at once. It
never appears in an address, an answer or a log line.
"""

from collections.abc import Callable
from functools import partial
from typing import ClassVar

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts.credentials import keys
from accounts.credentials.models import ApiKey, CalendarFeed
from accounts.credentials.owners import row_of
from accounts.operators.base import PageAction, ReadOnlyAdmin, ServiceAdmin
from accounts.operators.lists import Conditions, StateFilter
from studyservice.hooks import HookTable
from studyservice.secrets.generated import beginning_of_hint, kind_of, secrets_in

MOST_TRIED = 20
"""Maximum number of secrets looked up in one pasted text, for example a log file."""

Finder = Callable[[str], str | None]
"""Returns the admin page of the credential with this secret, live or ended. None if it is unknown."""

FINDERS = HookTable[Finder]("FINDERS")
"""Finders by the kind in the prefix."""


class PastedForm(forms.Form):
    """Text that contains a credential."""

    text = forms.CharField(
        label="The key",
        max_length=10_000,
        widget=forms.Textarea(attrs={"rows": 3, "autocomplete": "off", "spellcheck": "false"}),
        help_text="A key, a token, a calendar address, or text that contains one. It is not stored.",
    )


@never_cache
@sensitive_post_parameters("text")
@require_http_methods(["GET", "HEAD", "POST"])
def find_credential(request: HttpRequest) -> HttpResponse:
    """Ask for the text, then redirect to the credential's page.

    Raises:
        PermissionDenied: the operator may not see API keys.
    """
    if not request.user.has_perm("accounts.view_apikey"):
        raise PermissionDenied
    form = PastedForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        place = place_of(form.cleaned_data["text"])
        if place is not None:
            return HttpResponseRedirect(place)
        form.add_error("text", _NOT_FOUND)
    if form.is_bound:
        form.data = {}  # do not repeat the text in the answer
    context = admin.site.each_context(request) | {"form": form, "title": "Find a key", "opts": ApiKey._meta}
    return TemplateResponse(request, "admin/accounts/apikey/find.html", context)


def place_of(text: str) -> str | None:
    """Return the admin page of the first known credential in `text`, or None."""
    for secret in secrets_in(text)[:MOST_TRIED]:
        finder = FINDERS.get(kind_of(secret))
        place = None if finder is None else finder(secret)
        if place is not None:
            return place
    return None


def _found(model: type[ApiKey | CalendarFeed], secret: str) -> str | None:
    """Return the page of an API key, which is found for 90 days after its end, or of a live calendar address."""
    found = row_of(model.objects.all(), secret)
    return None if found is None else reverse(f"admin:accounts_{model._meta.model_name}_change", args=[found.pk])


FINDERS.register("sk", partial(_found, ApiKey))
FINDERS.register("cal", partial(_found, CalendarFeed))

_NOT_FOUND = (
    "Nothing in it is a credential that is known here. It may be cut off, or long gone: keys are known for 90 days "
    "after their end, tokens and calendar addresses while they work."
)


class _KeyStateFilter(StateFilter):
    """Filter keys by state."""

    title = "state"
    parameter_name = "state"
    states: ClassVar[Conditions] = {
        "active": ("active", keys.active),
        "expired": ("expired", keys.expired),
        "revoked": ("revoked", keys.revoked),
    }


@admin.register(ApiKey)
class ApiKeyAdmin(ReadOnlyAdmin):
    """API keys, without their hashes. Members create them, operators revoke them."""

    list_display = ("name", "hint", "member", "state", "may_write", "created_at", "expires_at", "last_used_at")
    list_filter = (_KeyStateFilter,)
    list_select_related = ("member",)
    ordering = ("member_id", "-created_at")
    fields = (
        *("name", "hint", "member", "state", "may_write", "created_at", "expires_at", "revoked_at", "last_used_at"),
        *("refused_at", "refused_in_words", "id"),
    )
    actions = ("revoke",)
    search_help_text = f"{ServiceAdmin.search_help_text} Or the visible beginning of a key."

    def get_urls(self) -> list[URLPattern]:
        """Add the page that finds a credential by its full text."""
        find = path("find/", self.admin_site.admin_view(find_credential), name="find_credential")
        return [find, *super().get_urls()]

    def matching(self, term: str) -> Q:
        """Find a key by its hint too. Only the visible part of a whole key is used."""
        hint = beginning_of_hint(term)
        return Q(hint__startswith=hint) if hint else super().matching(term)

    def page_actions(self, obj: ApiKey) -> tuple[PageAction, ...]:
        """Offer to revoke the key, once."""
        effect = "The key stops working with its next request, for good. The member can create another one."
        return () if obj.state() == "revoked" else (PageAction("revoke", "Revoke", effect),)

    @admin.action(description="Revoke", permissions=["act"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[ApiKey]) -> None:
        self.act(request, queryset.filter(revoked_at=None), keys.revoke_api_key, noun="key", verb="Revoked")


@admin.register(CalendarFeed)
class CalendarFeedAdmin(ReadOnlyAdmin):
    """Calendar addresses, without their hashes. Members create them, operators end them."""

    text_path = "member__email"
    list_display = ("member", "created_at", "last_used_at")
    list_select_related = ("member",)
    ordering = ("member_id",)
    fields = ("member", "created_at", "last_used_at", "id")
    actions = ("end",)

    def page_actions(self, obj: CalendarFeed) -> tuple[PageAction, ...]:
        """Offer to end the address."""
        effect = "Calendar apps can no longer read this address, for good. The member can create another one."
        return (PageAction("end", "End", effect),)

    @admin.action(description="End", permissions=["act"])
    def end(self, request: HttpRequest, queryset: QuerySet[CalendarFeed]) -> None:
        self.act(request, queryset, lambda one: keys.end_feed(one.member_id), noun="calendar feed", verb="Ended")

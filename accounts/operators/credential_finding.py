"""Find the owner of a leaked credential: operators paste it, and its hash leads to its page.

It is sent in the body of a form and hashed at once. It never appears in an address, an answer or a log line.
"""

from collections.abc import Callable

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts.credentials.models import ApiKey, CalendarFeed
from accounts.credentials.owners import owner_of
from studyservice.hooks import HookTable
from studyservice.secrets.generated import kind_of, secrets_in, sha256

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


def find_api_key(secret: str) -> str | None:
    """Find an API key. Ended keys are found for 90 days."""
    owner = owner_of(sha256(secret))
    if owner is None:
        return None
    found = ApiKey.objects.filter(member_id=owner, secret_hash=sha256(secret)).first()
    return None if found is None else reverse("admin:accounts_apikey_change", args=[found.id])


def find_calendar(secret: str) -> str | None:
    """Find a live calendar address."""
    owner = owner_of(sha256(secret))
    if owner is None:
        return None
    found = CalendarFeed.objects.filter(member_id=owner, secret_hash=sha256(secret)).first()
    return None if found is None else reverse("admin:accounts_calendarfeed_change", args=[found.id])


_NOT_FOUND = (
    "Nothing in it is a credential that is known here. It may be cut off, or long gone: keys are known for 90 days "
    "after their end, tokens and calendar addresses while they work."
)

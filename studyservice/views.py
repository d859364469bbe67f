"""The service's own URLs: the machine-readable description and the API reference."""

from functools import cache

from csp.constants import SELF
from csp.decorators import csp_update
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.utils.safestring import SafeString
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from studyservice.http.bodies import json_response, read_only
from studyservice.http.middleware import may_fetch
from studyservice.openapi.document import document
from studyservice.openapi.reference import Group, common_errors, common_headers, groups


@gzip_page
@read_only
def openapi(request: HttpRequest) -> HttpResponse:
    """`/openapi.json`; with `?only=tools` just the operations that are tools, as GPT Actions take 30."""
    return json_response(document(only_tools=request.GET.get("only") == "tools"))


@require_safe
def favicon(request: HttpRequest) -> HttpResponse:
    """Return the icon at the URL that browsers try on pages without one, like the admin's."""
    return redirect(static("studyservice/icon.svg"))


@gzip_page
@csp_update({"connect-src": [SELF]})
@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    """`/docs`: an overview of the API, with a list of all operations. The search fetches an index."""
    context = {
        "base_url": settings.BASE_URL,
        "headers": common_headers(),
        "errors": common_errors(),
        "groups": groups(),
    }
    return render(request, "studyservice/reference.html", context)


@gzip_page
@require_safe
def reference(request: HttpRequest, slug: str) -> HttpResponseBase:
    """`/docs/reference/SLUG`: the operations under one tag, with forms to try them."""
    group = next((one for one in groups() if one.slug == slug), None)
    if group is None:
        raise Http404
    context = {"groups": groups(), "group": group, "operations": _operations(group)}
    response = render(request, "studyservice/reference_group.html", context)
    return may_fetch(request, response)


@cache
def _operations(group: Group) -> SafeString:
    """Return the operations of a group as HTML, which is the same for everybody. Cached."""
    return render_to_string("studyservice/reference_operations.html", {"group": group})

"""The service's own addresses: the machine-readable description and its reference."""

from functools import cache

from csp.constants import SELF
from csp.decorators import csp_update
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.utils.safestring import SafeString
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_safe

from studyservice.http.reading import read_only
from studyservice.http.responses import json_response
from studyservice.openapi.document import document
from studyservice.openapi.reference import common_errors, common_headers, groups


@gzip_page
@read_only
def openapi() -> HttpResponse:
    """`/openapi.json`."""
    return json_response(document())


@require_safe
def favicon(request: HttpRequest) -> HttpResponse:
    """The icon, where browsers look for it on pages that name none, such as the admin's."""
    return redirect(static("studyservice/icon.svg"))


@gzip_page
@csp_update({"connect-src": [SELF]})
@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    """The reference. Its search fetches an index, and operations are tried out from here."""
    context = {
        "base_url": settings.BASE_URL,
        "headers": common_headers(),
        "errors": common_errors(),
        "groups": groups(),
        "operations": _operations(),
    }
    return render(request, "reference.html", context)


@cache
def _operations() -> SafeString:
    """All operations as HTML, the same for everybody: made once for each process."""
    return render_to_string("reference_operations.html", {"groups": groups()})

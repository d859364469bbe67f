"""The service's own addresses: the machine-readable description and its reference."""

from csp.constants import SELF
from csp.decorators import csp_update
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.views.decorators.http import require_safe

from studyservice.http.reading import read_only
from studyservice.http.responses import json_response
from studyservice.openapi.document import document


@read_only
def openapi() -> HttpResponse:
    """`/openapi.json`."""
    return json_response(document())


@require_safe
def favicon(request: HttpRequest) -> HttpResponse:
    """The icon, where browsers look for it on pages that name none, such as the admin's."""
    return redirect(static("studyservice/icon.svg"))


@csp_update({"connect-src": [SELF], "img-src": ["data:"]})
@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    """The reference, shown by Swagger UI from here: it fetches the description, tries operations out, and has its icons
    in its stylesheet.
    """
    return render(request, "reference.html", {"base_url": settings.BASE_URL})

"""The operators' site: Django's admin site with rate limits."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib.admin import AdminSite
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, URLResolver

from studyservice.admin.front_page import answers
from studyservice.hooks import Hook
from studyservice.http.client_address import client_address
from studyservice.http.error_pages import too_many
from studyservice.rates.limiter import Rate, hit

Gate = Callable[[HttpRequest], bool]
"""Returns whether the signed-in operator may enter."""

GATE = Hook[Gate]("GATE")


class OperatorSite(AdminSite):
    """Counts requests for every page below `/admin/`, first by client address, then by user."""

    site_header = site_title = settings.SERVICE_NAME
    index_title = "Operators"
    index_template = "admin/front_page.html"
    enable_nav_sidebar = False  # its 290 pixels are needed for the lists, and the index links to every page too

    def get_urls(self) -> list[URLPattern | URLResolver]:
        """Return Django's routes, except links from the admin to a row's page on the site, which no row has."""
        return [route for route in super().get_urls() if getattr(route, "name", None) != "view_on_site"]

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        """Render Django's index below the front page's answers."""
        return super().index(request, {"answers": answers(request)} | (extra_context or {}))

    def has_permission(self, request: HttpRequest) -> bool:
        """Return whether the user is an operator and passed the gate. Django sends anybody else to the sign-in."""
        return super().has_permission(request) and GATE.get()(request)

    def admin_view(self, view: Callable[..., Any], cacheable: bool = False) -> Any:
        """Wrap `view` in the rate limits and the check for operators."""
        guarded = super().admin_view(view, cacheable)

        @wraps(guarded)
        def counted(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            window = hit(Rate.ADMIN, client_address(request))
            if not window.exceeded and request.user.is_authenticated:
                window = hit(Rate.ADMIN, f"member:{request.user.pk}")
            if window.exceeded:
                return too_many(request, window, "Too many requests")
            response: HttpResponse = guarded(request, *args, **kwargs)
            return response

        return counted

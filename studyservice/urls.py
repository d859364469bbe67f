"""All URLs of the service."""

from importlib import import_module

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView, TemplateView

from studyservice.guides.views import ChangelogFeed, changelog, guide, guide_list, search_index
from studyservice.server.health import health, live, ready
from studyservice.views import docs, favicon, openapi, reference

API = ("accounts.api.urls", "courses.urls", "planning.urls", "grades.urls", "practice.urls", "vocab.urls")

urlpatterns = [
    # One list for all apps, which Django searches in half the time of an `include` for each: 8 to 20 µs. A table keyed
    # by the first two segments takes 2 to 5 µs, which would save about 1% of a call.
    path("v1/", include([route for urls in API for route in import_module(urls).urlpatterns])),
    path("", include("mcpbridge.urls")),
    path("", include("oauthserver.urls")),
    path("health", health, name="health"),
    path("health/live", live, name="health_live"),
    path("health/ready", ready, name="health_ready"),
    path("openapi.json", openapi, name="openapi"),
    path("", include("planning.pages.urls")),
    path("", include("courses.pages.urls")),
    path("", include("practice.pages.urls")),
    path("", include("vocab.pages.urls")),
    path("", include("accounts.pages.urls")),
    path("favicon.ico", favicon, name="favicon"),
    path(
        "robots.txt",
        TemplateView.as_view(template_name="studyservice/robots.txt", content_type="text/plain; charset=utf-8"),
        name="robots",
    ),
    path("docs", docs, name="docs"),
    path("docs/reference/<slug:slug>", reference, name="reference"),
    path("docs/guides", guide_list, name="guides"),
    path("docs/guides/<slug:index>", guide_list, name="guide-index"),
    path("docs/search.json", search_index, name="guide-search"),
    path("docs/<slug:slug>", guide, name="guide"),
    path("changelog", changelog, name="changelog"),
    path("changelog.atom", ChangelogFeed(), name="changelog-feed"),
    path("admin", RedirectView.as_view(pattern_name="admin:index"), name="admin"),
    path("admin/", admin.site.urls),
]

handler400 = "studyservice.http.error_pages.bad_request"
handler403 = "studyservice.http.error_pages.forbidden"
handler404 = "studyservice.http.error_pages.not_found"
handler500 = "studyservice.http.error_pages.server_error"

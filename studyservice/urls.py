"""Every address of the service."""

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView, TemplateView

from studyservice.http.routes import RouteTable
from studyservice.server.health import health, live, ready
from studyservice.views import docs, favicon, openapi

urlpatterns = [
    RouteTable(
        [
            path("v1/", include("accounts.api.urls")),
            path("v1/", include("courses.urls")),
            path("v1/", include("planning.urls")),
            path("v1/", include("grades.urls")),
            path("v1/", include("practice.urls")),
            path("v1/", include("vocab.urls")),
            path("", include("mcpbridge.urls")),
        ]
    ),
    path("", include("planning.calendar.urls")),
    path("", include("oauthserver.urls")),
    path("health", health, name="health"),
    path("health/live", live, name="health_live"),
    path("health/ready", ready, name="health_ready"),
    path("openapi.json", openapi, name="openapi"),
    path("", include("courses.pages.urls")),
    path("", include("planning.pages.urls")),
    path("", include("vocab.pages.urls")),
    path("", include("accounts.pages.urls")),
    path("favicon.ico", favicon, name="favicon"),
    path(
        "robots.txt",
        TemplateView.as_view(template_name="robots.txt", content_type="text/plain; charset=utf-8"),
        name="robots",
    ),
    path("docs", docs, name="docs"),
    path("", include("studyservice.guides.urls")),
    path("admin", RedirectView.as_view(pattern_name="admin:index"), name="admin"),
    path("admin/", admin.site.urls),
]

handler400 = "studyservice.http.failures.bad_request"
handler403 = "studyservice.http.failures.forbidden"
handler404 = "studyservice.http.failures.not_found"
handler500 = "studyservice.http.failures.server_error"

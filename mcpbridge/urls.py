"""The endpoint, with and without a slash: some clients add one, and none follows a redirect of a POST safely."""

from django.urls import path

from mcpbridge.views import endpoint

urlpatterns = [path("mcp", endpoint, name="mcp"), path("mcp/", endpoint, name="mcp")]

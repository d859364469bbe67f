"""The endpoint, with and without a slash: some clients add one, and redirects of a POST are unsafe."""

from django.urls import path

from mcpbridge.views import endpoint

urlpatterns = [path("mcp", endpoint, name="mcp"), path("mcp/", endpoint, name="mcp")]

"""The address of a page, for forms that lead back to it."""

from urllib.parse import urlencode

from django.http import HttpRequest


def address_here(request: HttpRequest, *parameters: str, path: str | None = None) -> str:
    """Return the path with those of `parameters` that the page was asked with.

    Others are dropped: whatever somebody put into a link, a secret perhaps, is not repeated in the page.

    Args:
        path: of the page, where a form was sent to another one.
    """
    kept = {name: request.GET[name] for name in parameters if name in request.GET}
    path = path or request.path
    return f"{path}?{urlencode(kept)}" if kept else path

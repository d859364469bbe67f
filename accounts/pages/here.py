"""The address of a page, for forms that return to it."""

from urllib.parse import urlencode

from django.http import HttpRequest


def address_here(request: HttpRequest, *parameters: str, path: str | None = None) -> str:
    """Return the path with those of `parameters` that the page was requested with.

    Other parameters are dropped, because a link could contain anything, even a secret.

    Args:
        path: the page to return to, if the form was sent to another one.
    """
    kept = {name: request.GET[name] for name in parameters if name in request.GET}
    path = path or request.path
    return f"{path}?{urlencode(kept)}" if kept else path

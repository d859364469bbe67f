"""Who is signed in, on the pages that are for members."""

from django.http import HttpRequest

from accounts.models import Member


def signed_in(request: HttpRequest) -> Member:
    """The member of a page under `login_required`."""
    if not isinstance(request.user, Member):
        raise TypeError("this page is for signed-in members")
    return request.user

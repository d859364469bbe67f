"""A real identity provider: `oidc-provider`, in a process of its own."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from accounts.signing_in.provider.metadata import kept
from studyservice.identity_provider import IdentityProvider
from tests.support import javascript
from tests.support.identity_server import CLIENT_ID, CLIENT_SECRET, RETURN


@contextmanager
def oidc_provider(origin: str, method: str = "client_secret_basic", place: str = "token") -> Iterator[IdentityProvider]:
    """The setting of a running one. Everybody who signs in there is a student.

    Args:
        origin: of the service.
        method: how the service sends its secret.
        place: `token` or `userinfo`, where the claims are.
    """
    kept.clear()
    with subprocess.Popen(
        [javascript.node(), "identity_provider.mjs", CLIENT_ID, CLIENT_SECRET, f"{origin}{RETURN}", method, place],
        cwd=javascript.CLIENTS,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout
        issuer = process.stdout.readline().strip()
        members = ("groups", "students")
        yield IdentityProvider(issuer, CLIENT_ID, CLIENT_SECRET, "Example College", members=members)

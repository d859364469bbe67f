"""Use sign-in codes, authorization codes and refresh tokens at two instances at the same moment. Each works once."""

import base64
import hashlib
import re
import secrets
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import psycopg

from tools.bench.cast import CALLBACK, CLIENT_ID, Subject
from tools.bench.drills.client import Browser, Client, HttpAnswer
from tools.bench.drills.report import Report, query
from tools.bench.drills.watch import at_once
from tools.bench.servers import wait_until

_SIGN_INS = 3
_CONSENTS = 5
_BOTH = ", each sent to both at once"
_WAITING = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'accounts_member'::regclass"


def drill(
    report: Report, ports: tuple[int, int], mail: Path, members: Sequence[Subject], url: str, *, first: int = 0
) -> None:
    """Add the checks to `report`.

    Args:
        ports: of the two instances; codes are requested at the first.
        mail: directory of sent e-mails.
        url: the database, where simultaneous requests wait for the member's lock, so that they overlap.
        first: index of the first of ten members to use.
    """
    signed_in = [_sign_in(ports, mail, first + number) for number in range(_SIGN_INS)]
    report.check(f"{_SIGN_INS} sign-in codes{_BOTH}: signs in once", all(once for once, _ in signed_in))
    exchanged = [_exchange(ports, signed_in[0][1], url) for _ in range(_CONSENTS)]
    report.check(f"{_CONSENTS} authorization codes{_BOTH}: exchanged once", all(map(_one, exchanged)))
    report.check("the issued tokens work on both instances", all(_live(ports, answers) for answers in exchanged))
    tokens = [subject.tokens[0] for subject in members[first : first + 10]]
    refreshed = [_at_both(ports, url, grant_type="refresh_token", refresh_token=token) for token in tokens]
    report.check(f"{len(refreshed)} refresh tokens{_BOTH}: refreshed once", all(map(_one, refreshed)))
    report.check("the refreshed tokens work on both instances", all(_live(ports, answers) for answers in refreshed))


def _sign_in(ports: tuple[int, int], mail: Path, number: int) -> tuple[bool, Browser]:
    """Request a code at one instance, enter it at both. Return whether exactly one signs in, and its browser."""
    browser = Browser(f"198.51.100.{number + 1}")
    browser.send(ports[0], "/sign-in")
    email = f"member{number}@example.org"
    browser.send(ports[0], "/sign-in", {"email": email})
    wait_until("the e-mail", lambda: _code(mail, email), 10)
    tabs = [browser.copy(), browser.copy()]
    form = {"code": _code(mail, email)}
    answers = at_once([partial(tab.send, port, "/sign-in/code", form) for tab, port in zip(tabs, ports, strict=True)])
    inside = [tab for tab, answer in zip(tabs, answers, strict=True) if answer == (302, "/")]
    return len(inside) == 1, (inside or tabs)[0]


def _code(mail: Path, email: str) -> str:
    for file in mail.glob("*.log"):
        text = file.read_text()
        if f"To: {email}" in text and (found := re.search(r"^Subject: (\d{6}) ", text, re.MULTILINE)):
            return found[1]
    return ""


def _exchange(ports: tuple[int, int], browser: Browser, url: str) -> list[HttpAnswer]:
    """Consent at one instance, exchange the code at both at once. Return the answers."""
    verifier = secrets.token_urlsafe(48)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    asked = {"response_type": "code", "client_id": CLIENT_ID, "redirect_uri": CALLBACK, "scope": "read write"}
    asked |= {"code_challenge": challenge, "code_challenge_method": "S256"}
    page = f"/oauth/authorize?{urlencode(asked)}"
    browser.send(ports[0], page)
    _, location = browser.send(ports[0], page, {"decision": "allow", "write": "yes"})
    [code] = parse_qs(urlsplit(location).query)["code"]
    form = {"grant_type": "authorization_code", "code": code, "redirect_uri": CALLBACK, "code_verifier": verifier}
    return _at_both(ports, url, **form)


def _at_both(ports: tuple[int, int], url: str, **form: str) -> list[HttpAnswer]:
    def post(port: int) -> HttpAnswer:
        with Client(port, address="198.51.100.99") as client:
            return client.token(**form)

    with psycopg.connect(url) as holder, ThreadPoolExecutor(len(ports)) as pool:
        holder.execute("LOCK TABLE accounts_member IN EXCLUSIVE MODE")
        posts = [pool.submit(post, port) for port in ports]
        wait_until("both to wait", lambda: query(url, _WAITING) == [(len(ports),)], 20)
        holder.rollback()
        return [done.result() for done in posts]


def _one(answers: list[HttpAnswer]) -> bool:
    """Return whether exactly one succeeded, and the other was refused with `invalid_grant`."""
    refused = [answer.fault for answer in answers if not answer.ok]
    return len(answers) - len(refused) == 1 and set(refused) == {"400 invalid_grant"}


def _live(ports: tuple[int, int], answers: list[HttpAnswer]) -> bool:
    """Return whether the new access token works at both instances."""
    tokens = [answer.body["access_token"] for answer in answers if answer.ok]
    return all(Client(port).get("/v1/me", token).status == 200 for port in ports for token in tokens)

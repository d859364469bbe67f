"""An operator's second-factor devices: an authenticator app, and a passkey without a browser."""

import hashlib
import json
import re
import time
from dataclasses import dataclass, field
from html import unescape
from secrets import token_bytes
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pyotp
import time_machine
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from django.test import Client
from django.utils import timezone
from webauthn.helpers import bytes_to_base64url, encode_cbor

from tests.support.signing_in import EMAIL, newest_code

ORIGIN = "https://study.example.org"
ASKED = "/second-factor"
SET_UP = "/account/second-factor"
APP = f"{SET_UP}/app"
PASSKEY = f"{SET_UP}/passkey"
NOT_RIGHT = "Wrong or used code"


class Asked(NamedTuple):
    """Open the page that sets up an app. Return its secret and the recovery codes."""

    browser: Client
    secret: str
    codes: list[str]


def shown(secret: str, *, steps: int = 0) -> str:
    """Return the code of an app, now or some steps of 30 seconds later."""
    return pyotp.TOTP(secret).at(int(timezone.now().timestamp()), counter_offset=steps)


def sign_in_by_code(client: Client, email: str = EMAIL, next_: str = "/admin/") -> Any:
    client.post("/sign-in", {"email": email, "next": next_})
    return client.post("/sign-in/code", {"code": newest_code(), "next": next_})


def text_of(response: Any) -> str:
    return unescape(response.content.decode())


def enrolled_app(client: Client) -> tuple[str, list[str]]:
    """Set up an app on the pages. Return its secret and, for the first device, the recovery codes."""
    secret = secret_on(client.get(APP))
    response = client.post(APP, {"code": shown(secret)})
    assert response.status_code in {200, 302}
    return secret, recovery_codes_on(response)


def secret_on(response: Any) -> str:
    found = re.search(r"<code>([A-Z2-7]{32})</code>", text_of(response))
    assert found is not None, text_of(response)
    return found[1]


def recovery_codes_on(response: Any) -> list[str]:
    return re.findall(r"\b(?:[a-z2-9]{5}-){3}[a-z2-9]{5}\b", text_of(response))


def options_on(response: Any) -> dict[str, Any]:
    """Return the options that the page passes to the browser."""
    found = re.search(r'data-options="([^"]*)"', response.content.decode())
    assert found is not None, text_of(response)
    options: dict[str, Any] = json.loads(unescape(found[1]))
    return options


@dataclass
class Device:
    """A device with one passkey (WebAuthn level 2, sections 6.1 and 6.5)."""

    origin: str
    count: int = 0
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    id: bytes = field(default_factory=lambda: token_bytes(32))

    def created(self, options: dict[str, Any], **changes: Any) -> str:
        """Return the registration response of a new passkey as JSON. `cose` replaces or removes its key."""
        numbers = self.key.public_key().public_numbers()
        own = {1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32), -3: numbers.y.to_bytes(32)}
        cose = changes.pop("cose", own)
        attested = bytes(16) + len(self.id).to_bytes(2) + self.id + encode_cbor(cose)
        data = self._data(options["rp"]["id"], 0x45) + attested
        response = {"attestationObject": encode_cbor({"fmt": "none", "attStmt": {}, "authData": data})}
        return self._answer("webauthn.create", options, response, changes)

    def signed(self, options: dict[str, Any], **changes: Any) -> str:
        """Return the assertion response as JSON and increase the signature counter."""
        self.count += 1
        data = self._data(options["rpId"], 0x05)
        client = self._client("webauthn.get", options, changes)
        signature = self.key.sign(data + hashlib.sha256(client).digest(), ec.ECDSA(SHA256()))
        return self._answer("webauthn.get", options, {"authenticatorData": data, "signature": signature}, changes)

    def _data(self, domain: str, flags: int) -> bytes:
        return hashlib.sha256(domain.encode()).digest() + bytes([flags]) + self.count.to_bytes(4)

    def _client(self, kind: str, options: dict[str, Any], changes: dict[str, Any]) -> bytes:
        said = {"type": kind, "challenge": options["challenge"], "origin": self.origin} | changes
        return json.dumps(said).encode()

    def _answer(self, kind: str, options: dict[str, Any], response: dict[str, bytes], changes: dict[str, Any]) -> str:
        told = response | {"clientDataJSON": self._client(kind, options, changes)}
        name = bytes_to_base64url(self.id)
        encoded = {key: bytes_to_base64url(value) for key, value in told.items()}
        return json.dumps({"id": name, "rawId": name, "type": "public-key", "response": encoded})


def later(seconds: float) -> Any:
    """The clock, this many seconds ahead."""
    return time_machine.travel(time.time() + seconds)


def open_to(client: Client) -> bool:
    """Return whether the browser can open the admin."""
    return client.get("/admin/").status_code == 200


def led_to(client: Client, path: str, **options: Any) -> str:
    """The last page of the redirects from `path`."""
    response = client.get(path, follow=True, **options)
    return urlsplit(response.redirect_chain[-1][0]).path if response.redirect_chain else path

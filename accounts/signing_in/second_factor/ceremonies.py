"""Passkeys (WebAuthn level 2): options for the browser, and verification of its answer.

The session stores the challenge until the first answer.

The library takes 5 MiB of memory, and few use it. So pages import this module only where they need it.
"""

from typing import Any, NamedTuple
from urllib.parse import urlsplit

import orjson
import webauthn
from django.conf import settings
from django.db import IntegrityError
from django.utils import timezone
from webauthn.helpers import base64url_to_bytes, bytes_to_base64url
from webauthn.helpers.exceptions import InvalidJSONStructure, WebAuthnException
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from accounts.members.models import Member
from accounts.signing_in.models import Passkey
from accounts.signing_in.second_factor.factors import MOST_PASSKEYS, relying_party
from studyservice.changes.writing import writing

_USUAL_PORTS = {"http": 80, "https": 443}

_NO_ANSWER = (WebAuthnException, ValueError, TypeError, LookupError, AttributeError)
"""The library's exceptions for an invalid answer. It does not check types within CBOR."""


class Ceremony(NamedTuple):
    """Options for the browser.

    Attributes:
        options: JSON for `PublicKeyCredential.parse…OptionsFromJSON`.
        challenge: in base64url; only an answer to this one is accepted.
    """

    options: str
    challenge: str


def ask_for_new(member: Member) -> Ceremony:
    """Ask for a new passkey, on a device without any of the member's. Costs a query."""
    options = webauthn.generate_registration_options(
        rp_id=relying_party(),
        rp_name=settings.SERVICE_NAME,
        user_id=member.id.bytes,
        user_name=member.email,
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.PREFERRED, user_verification=UserVerificationRequirement.PREFERRED
        ),
        exclude_credentials=_descriptors(member),
    )
    return Ceremony(webauthn.options_to_json(options), bytes_to_base64url(options.challenge))


def enrol(member: Member, name: str, answer: str, challenge: str) -> bool:
    """Add a passkey named `name`, if the answer is valid and the member has fewer than `MOST_PASSKEYS`.

    Raises:
        NotFound: the member was deleted meanwhile.
    """
    try:
        made = webauthn.verify_registration_response(
            credential=_read(answer),
            expected_challenge=base64url_to_bytes(challenge),
            expected_rp_id=relying_party(),
            expected_origin=_origin(),
        )
    except _NO_ANSWER:
        return False
    row = Passkey(
        member_id=member.id,
        name=name,
        credential_id=bytes_to_base64url(made.credential_id),
        public_key=made.credential_public_key,
        sign_count=made.sign_count,
    )
    try:
        with writing(member.id):
            if Passkey.objects.filter(member_id=member.id).count() >= MOST_PASSKEYS:
                return False
            row.save(force_insert=True)
    except IntegrityError:  # the member has it already
        return False
    return True


def ask_for_one(member: Member) -> Ceremony:
    """Ask for a signature with one of the member's passkeys. Costs a query."""
    options = webauthn.generate_authentication_options(
        rp_id=relying_party(),
        allow_credentials=_descriptors(member),
        user_verification=UserVerificationRequirement.PREFERRED,
    )
    return Ceremony(webauthn.options_to_json(options), bytes_to_base64url(options.challenge))


def use(member: Member, answer: str, challenge: str) -> bool:
    """Return whether one of the member's passkeys signed the answer, with a counter that rules out a copied device.

    Of two simultaneous answers with the same counter one succeeds, because the update rechecks the counter.
    """
    try:
        sent = _read(answer)
        # normalized to characters that every column accepts
        named = bytes_to_base64url(base64url_to_bytes(str(sent.get("id"))))
        passkey = Passkey.objects.filter(member_id=member.id, credential_id=named).first()
        if passkey is None:
            return False
        signed = webauthn.verify_authentication_response(
            credential=sent,
            expected_challenge=base64url_to_bytes(challenge),
            expected_rp_id=relying_party(),
            expected_origin=_origin(),
            credential_public_key=bytes(passkey.public_key),
            credential_current_sign_count=passkey.sign_count,
        )
    except _NO_ANSWER:
        return False
    same = Passkey.objects.filter(id=passkey.id, member_id=member.id, sign_count=passkey.sign_count)
    return bool(same.update(sign_count=signed.new_sign_count, last_used_at=timezone.now()))


def _read(answer: str) -> dict[str, Any]:
    """Parse the JSON object that a browser sent.

    Raises:
        ValueError: it is not JSON.
        InvalidJSONStructure: it is not an object.
    """
    sent = orjson.loads(answer)
    if not isinstance(sent, dict):
        raise InvalidJSONStructure("The answer of a browser is an object")
    return sent


def _origin() -> str:
    """Return the origin as browsers send it (RFC 6454, section 6.2), without a default port."""
    parts = urlsplit(settings.BASE_URL)
    port = f":{parts.port}" if parts.port not in {None, _USUAL_PORTS.get(parts.scheme)} else ""
    return f"{parts.scheme}://{relying_party()}{port}"


def _descriptors(member: Member) -> list[PublicKeyCredentialDescriptor]:
    known = Passkey.objects.filter(member_id=member.id).order_by("created_at").values_list("credential_id", flat=True)
    return [PublicKeyCredentialDescriptor(id=base64url_to_bytes(credential_id)) for credential_id in known]

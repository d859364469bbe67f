"""Find, link and unlink the account that a person at the provider signs in to.

A linked identity signs in by its `sub`, whatever its address. The first time, a verified address finds its account, but
never an operator's, and never one that is linked already: colleges give addresses to others later.
"""

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator, validate_email
from django.db import IntegrityError, transaction

from accounts import mail
from accounts.events import EventKind, holding, record_event
from accounts.joining import forget_invitation, given_to, new_member
from accounts.members.models import Member
from accounts.members.profile import MAX_NAME
from accounts.signing_in.models import LinkedIdentity
from accounts.signing_in.provider.memberships import apply_claim
from accounts.signing_in.provider.outcomes import Identity, Refused
from studyservice.changes.calls import Actor
from studyservice.gone import note_gone
from studyservice.identity_provider import IdentityProvider
from studyservice.models import ActorKind
from studyservice.operations.errors import NotFound

_validate_length = MaxLengthValidator(254)

_LINKED = "the account is linked to another identity of the provider, or the identity to another account"


def linked(identity: Identity) -> LinkedIdentity | None:
    """Return the row of the identity, if it is linked."""
    return LinkedIdentity.objects.filter(issuer=identity.issuer, subject=identity.subject).first()


def identity_of_member(member: Member, issuer: str) -> LinkedIdentity | None:
    """Return the member's identity at this issuer, if there is one."""
    return LinkedIdentity.objects.filter(member_id=member.id, issuer=issuer).first()


def member_of(identity: Identity, provider: IdentityProvider) -> Member:
    """Return the member that the person signs in as, after what a sign-in does to the membership.

    The first time, link the account, or create it.

    Raises:
        Refused: there is none for this person.
        InvalidReturn: as `Identity.profile`.
        ProviderDown: likewise.
    """
    found = linked(identity) or _first_link(identity, provider)
    try:
        with holding(found.member_id):
            member = Member.objects.get(id=found.member_id)
            if not member.is_active:
                raise Refused("the account may not sign in")
            apply_claim(found, member, identity, provider)
    except NotFound:
        raise Refused("the account is being deleted") from None
    return member


def _first_link(identity: Identity, provider: IdentityProvider) -> LinkedIdentity:
    profile = identity.profile()
    email = _verified_address(profile)
    try:
        with transaction.atomic():
            member, has_joined = _member_at(email, provider, profile)
            found, is_new = link(member, identity, provider)
    except IntegrityError:
        raise Refused(_LINKED) from None
    if is_new and not has_joined:
        _tell_connected(member, provider)
    return found


def _verified_address(profile: Mapping[str, Any]) -> str:
    """Return the address in lower case, if the provider verified it."""
    if profile.get("email_verified") is not True:
        raise Refused("the provider does not say that the address is verified (email_verified)")
    email = str(profile.get("email") or "").strip().lower()
    try:
        validate_email(email)
        _validate_length(email)
    except ValidationError:
        raise Refused("the provider sent no usable address") from None
    return email


def _member_at(email: str, provider: IdentityProvider, profile: Mapping[str, Any]) -> tuple[Member, bool]:
    """Return the account of the address, or a new one for a person who may join, and whether it is new."""
    if (member := _present(email)) is not None:
        return member, False
    if (member := _joined(email, provider, profile)) is not None:
        return member, True
    # Of two first sign-ins at once one creates the member, and the other finds it.
    if (member := _present(email)) is not None:
        return member, False
    raise Refused("nobody has the address, it has no valid invitation, and OIDC_SIGN_UP is no")


def _present(email: str) -> Member | None:
    member = Member.objects.at(email).first()
    if member is not None and (member.is_staff or member.is_superuser):
        raise Refused("the address is an operator's; operators connect on their account page")
    return member


def _joined(email: str, provider: IdentityProvider, profile: Mapping[str, Any]) -> Member | None:
    """Create the member, with what an invitation gives. None for a person who may not join, or has joined meanwhile."""
    invited, name = given_to(email), profile.get("name")
    if not provider.sign_up and (invited is None or settings.SIGN_UP == "closed"):
        return None
    given = invited or {}
    if not given.get("name") and isinstance(name, str) and name.isprintable():
        given["name"] = name.strip()[:MAX_NAME]
    # Where a claim gives memberships, nobody else gets the usual one.
    member = new_member(email, days=None if provider.members is None else 0, **given)
    if member is not None:
        forget_invitation(member)
    return member


def link(member: Member, identity: Identity, provider: IdentityProvider) -> tuple[LinkedIdentity, bool]:
    """Link the identity to the member, with an account event. Return the row, and whether it is new.

    Raises:
        IntegrityError: one of them is linked to another already.
        Refused: the member may not sign in.
    """
    try:
        with holding(member.id):
            present = identity_of_member(member, identity.issuer)
            if present is not None and present.subject == identity.subject:
                return present, False
            if not Member.objects.filter(id=member.id, is_active=True).exists():
                raise Refused("the account may not sign in")
            row = LinkedIdentity.objects.create(member=member, issuer=identity.issuer, subject=identity.subject)
            record_event(member.id, EventKind.IDENTITY_CONNECTED, detail=provider.name, who=Actor(ActorKind.PAGE))
    except NotFound:
        raise Refused("the account is being deleted") from None
    return row, True


def connect(member: Member, identity: Identity, provider: IdentityProvider) -> None:
    """Link the identity to the member who proved to own both, and give the membership of its claim.

    Raises:
        Refused: one of them is linked to another already.
    """
    try:
        with transaction.atomic():
            row, is_new = link(member, identity, provider)
            apply_claim(row, Member.objects.get(id=member.id), identity, provider)
    except IntegrityError:
        raise Refused(_LINKED) from None
    if is_new:
        _tell_connected(member, provider)


def _tell_connected(member: Member, provider: IdentityProvider) -> None:
    _tell(member, f"connected with {provider.name}", f"Signing in to {provider.name} now opens it.")


def disconnect(member: Member, provider: IdentityProvider) -> bool:
    """Unlink the member's identity, with an account event and a notice. False if there is none.

    Raises:
        NotFound: the member is gone.
    """
    with holding(member.id):
        row = identity_of_member(member, provider.issuer)
        if row is None:
            return False
        note_gone("identity_disconnected", row.id)
        row.delete()
        record_event(member.id, EventKind.IDENTITY_DISCONNECTED, detail=provider.name, who=Actor(ActorKind.PAGE))
    _tell(member, f"disconnected from {provider.name}", f"Signing in to {provider.name} no longer opens it.")
    return True


def _tell(member: Member, what: str, then: str) -> None:
    mail.notify(member.email, f"Your account was {what}", f"Your account at Study Data Service was {what}. {then}")

"""Codes that prove a signed-in member to be the account's owner, in place of the password.

A page asks for one before a change that could lock the owner out. A session that was stolen or left open is not enough.
"""

from uuid import UUID

from accounts.members.models import Member
from accounts.signing_in.codes import Purpose, Refusal, send_code, try_code


def send_proof(member: Member, purpose: Purpose) -> UUID:
    """E-mail a code to the member's address; returns its id."""
    return send_code(member.email, purpose)


def try_proof(member: Member, code_id: UUID, code: str) -> Refusal | None:
    """The reason for refusing the code, or None if it is right."""
    outcome = try_code(code_id, code)
    if isinstance(outcome, Refusal):
        return outcome
    return None if outcome.id == member.id else Refusal.GONE

"""Codes that prove, in place of the password, that a signed-in member owns the account.

A page asks for one before a change that could lock the owner out. A stolen or unattended session is not enough.
"""

from uuid import UUID

from accounts.members.models import Member
from accounts.signing_in.codes import Purpose, Refusal, send_code, try_code


def send_proof(member: Member, purpose: Purpose) -> UUID:
    """E-mail a code to the member's address. Return its id."""
    return send_code(member.email, purpose)


def try_proof(member: Member, code_id: UUID, code: str) -> Refusal | None:
    """Return why the code was refused, or None if it is right."""
    outcome = try_code(code_id, code)
    if isinstance(outcome, Refusal):
        return outcome
    return None if outcome.id == member.id else Refusal.GONE

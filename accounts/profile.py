"""The member as the member sees it."""

from accounts.credentials import Credential
from studyservice.statements import Row, wire_timestamp


def profile(credential: Credential) -> Row:
    """The `MemberRecord` of the credential's member; costs no query beyond the credential's own."""
    member = credential.member
    return {
        "id": member.id,
        "email": member.email,
        "name": member.name,
        "time_zone": member.time_zone,
        "today": member.today(),
        "practice_streak": 0,
        "membership": {
            "active": member.membership_is_active(),
            "until": member.membership_until,
        },
        "scopes": sorted(credential.scopes),
        "created_at": wire_timestamp(member.created_at),
    }

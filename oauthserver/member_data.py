"""Declarations of this app's models with rows of members."""

from accounts.members.data import ACCOUNT, CREDENTIAL, MemberData, register
from oauthserver.models import AccessToken, Grant, RefreshToken

_NO_ADMIN = "part of a connection, which has a page"

register(
    MemberData(
        Grant,
        whole_member=ACCOUNT,
        archived=CREDENTIAL,
        hash_column="code",
        no_admin=_NO_ADMIN,
    )
)
register(
    MemberData(
        AccessToken,
        whole_member=ACCOUNT,
        archived=CREDENTIAL,
        hash_column="token_checksum",
        no_admin=_NO_ADMIN,
    )
)
register(
    MemberData(
        RefreshToken,
        whole_member=ACCOUNT,
        archived=CREDENTIAL,
        hash_column="token_checksum",
    )
)

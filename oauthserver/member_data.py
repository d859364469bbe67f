"""Declarations of this app's models with rows of members."""

from accounts.member_data import ACCOUNT, CREDENTIAL
from accounts.members.data import MemberData, register
from oauthserver.models import AccessToken, Grant, RefreshToken

_NO_ADMIN = "part of a connection, which has a page"

register(
    MemberData(
        Grant,
        owner="user",
        whole_member=ACCOUNT,
        archived=CREDENTIAL,
        credential=True,
        hash_column="code",
        no_admin=_NO_ADMIN,
    )
)
register(
    MemberData(
        AccessToken,
        owner="user",
        whole_member=ACCOUNT,
        archived=CREDENTIAL,
        credential=True,
        hash_column="token_checksum",
        no_admin=_NO_ADMIN,
    )
)
register(
    MemberData(
        RefreshToken,
        owner="user",
        whole_member=ACCOUNT,
        archived=CREDENTIAL,
        credential=True,
        hash_column="token_checksum",
    )
)

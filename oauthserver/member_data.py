"""The members' rows of this app."""

from accounts.member_data import ACCOUNT, CREDENTIAL
from accounts.members.data import MemberData, register
from oauthserver.connections import bring_tokens_back
from oauthserver.models import AccessToken, Grant, RefreshToken

register(
    MemberData(
        Grant,
        owner="user",
        whole_member=ACCOUNT,
        not_archived=CREDENTIAL,
        credential=True,
        hash_column="code",
        repair_clock=bring_tokens_back,
    )
)
for model in (AccessToken, RefreshToken):
    register(
        MemberData(
            model,
            owner="user",
            whole_member=ACCOUNT,
            not_archived=CREDENTIAL,
            credential=True,
            hash_column="token_checksum",
        )
    )

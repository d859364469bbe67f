"""Declarations of this app's models with rows of members."""

from oauthserver.models import AccessToken, Grant, RefreshToken
from studyservice.registry.data import ACCOUNT, CREDENTIAL, MemberData, register

for _model, _hash_column, _no_admin in (
    (Grant, "code", "part of a connection, which has a page"),
    (AccessToken, "token_checksum", "part of a connection, which has a page"),
    (RefreshToken, "token_checksum", ""),
):
    register(
        MemberData(_model, whole_member=ACCOUNT, archived=CREDENTIAL, hash_column=_hash_column, no_admin=_no_admin)
    )

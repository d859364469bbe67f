"""The place of each table when members are spread over servers.

The rows of a member are on the member's server, and what they refer to is on every server. This module names the rest.
"""

ON_COORDINATOR = {
    "accounts.BrowserSession": "found by a cookie, before it is known whose it is",
    "accounts.MemberAddress": "tells whose an address is",
    "accounts.SecretOwner": "tells whose a secret is",
    "accounts.Invitation": "of addresses that belong to nobody yet",
    "accounts.SignInCode": "found by its id, and made for addresses that belong to nobody too",
    "accounts.LastRun": "of commands",
    "accounts.OutgoingMail": "to addresses that belong to nobody yet, too",
    "admin.LogEntry": "what operators did, for operators",
    "oauth2_provider.DeviceGrant": "not in use",
    "oauth2_provider.IDToken": "not in use",
}
"""Tables of the coordinator only, with the reason."""

ON_EVERY_SERVER = {"oauthserver.BlockedApp": "asked for together with an access token"}
"""Other tables that every server has."""

UNIQUE_AMONG_MEMBERS = {
    "accounts.Member.email": "accounts.MemberAddress",
    "accounts.ApiKey.secret_hash": "a hash of chance",
    "accounts.CalendarFeed.secret_hash": "a hash of chance",
    "oauthserver.AccessToken.token_checksum": "a hash of chance",
    "oauthserver.Grant.code": "a hash of chance",
    "oauthserver.Grant.token_family": "chance",
    "oauthserver.RefreshToken.access_token": "a foreign key with the member in it",
    "oauthserver.RefreshToken.token_checksum": "a hash of chance",
}
"""How a column stays unique among all members, though each server only knows its own."""

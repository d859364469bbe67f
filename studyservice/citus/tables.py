"""The tables that are not placed with a member, and the unique columns that do not include the member."""

ON_COORDINATOR = {
    "accounts.BrowserSession": "found by a cookie, before the member is known",
    "accounts.MemberAddress": "maps an address to its member",
    "accounts.SecretOwner": "maps a secret to its member",
    "accounts.Invitation": "sent to addresses that do not belong to a member yet",
    "accounts.SignInCode": "found by its id, also for addresses that do not belong to a member",
    "accounts.LastRun": "written by commands",
    "accounts.OutgoingMail": "also sent to addresses that do not belong to a member yet",
    "planning.DueCalendar": "asked for those of all members",
    "admin.LogEntry": "the operators' log, read by operators",
    "oauth2_provider.DeviceGrant": "not in use",
    "oauth2_provider.IDToken": "not in use",
}
"""Models whose tables are only on the coordinator, with the reason."""

ON_EVERY_SERVER = {"oauthserver.BlockedApp": "joined with access tokens"}
"""Models whose tables are on every server, besides those that members' rows refer to, with the reason."""

UNIQUE_AMONG_MEMBERS = {
    "accounts.Member.email": "accounts.MemberAddress",
    "accounts.ApiKey.secret_hash": "a hash of random bits",
    "accounts.CalendarFeed.secret_hash": "a hash of random bits",
    "oauthserver.AccessToken.token_checksum": "a hash of random bits",
    "oauthserver.Grant.code": "a hash of random bits",
    "oauthserver.Grant.token_family": "random bits",
    "oauthserver.RefreshToken.access_token": "a foreign key that names the member",
    "oauthserver.RefreshToken.token_checksum": "a hash of random bits",
}
"""Unique fields of members' rows that do not include the member, with what keeps them unique on all servers."""

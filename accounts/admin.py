"""The admin of this app: importing these modules registers their pages."""

from accounts.operators import changes_admin, events_admin, invitations_admin, members_admin

__all__ = ["changes_admin", "events_admin", "invitations_admin", "members_admin"]

"""Register the admin pages of this app by importing their modules."""

from accounts.operators import changes_admin, events_admin, invitations_admin, members_admin

__all__ = ["changes_admin", "events_admin", "invitations_admin", "members_admin"]

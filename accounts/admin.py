"""Register the admin pages of this app by importing their modules."""

from accounts.operators import credentials_admin, logs_admin, members_admin

__all__ = ["credentials_admin", "logs_admin", "members_admin"]

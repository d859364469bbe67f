"""The accounts app."""

from typing import ClassVar

from django.apps import AppConfig
from django.contrib.admin import apps as admin_apps


class AccountsConfig(AppConfig):
    """Members, membership and credentials."""

    name = "accounts"
    verbose_name = "Members and credentials"
    headings: ClassVar[dict[str, str]] = {
        "Member": "Who the credential belongs to.",
        "Changes": "Who changed what.",
    }

    def ready(self) -> None:
        """Register the hooks that lower packages call."""
        from accounts.credentials.keys import rows_of_key
        from accounts.credentials.limiting import LIMITED_ROWS
        from accounts.credentials.resolving import RESOLVERS, resolve_api_key
        from accounts.erasure import erasing
        from accounts.erasure.erasing import ERASURES, EXPIRED_DATA, erase_member, forget_in_log
        from accounts.joining import forget_invitation
        from accounts.members.last_runs import last_runs
        from accounts.members.models import ERASE_MEMBER
        from accounts.members.mornings import dropped_mornings
        from accounts.members.outbox import QUEUED_MAIL, queue_age
        from accounts.members.profile import ProfileLine, profile_line, take_profile
        from accounts.signing_in.second_factor.factors import SECOND_FACTORS
        from accounts.signing_in.sessions import delete_sessions
        from studyservice.archive.tables import MEMBER_PROFILE, Profile
        from studyservice.gone import ENDINGS
        from studyservice.secrets.sealing import SEALED
        from studyservice.server.signals import DROPPED_MORNINGS, LAST_RUNS, MAIL_QUEUE_AGE

        ERASE_MEMBER.register(erase_member)
        RESOLVERS.register("sk", resolve_api_key)
        LIMITED_ROWS.register("api_key", rows_of_key)
        for erasure in (delete_sessions, forget_invitation, forget_in_log):
            ERASURES.register(erasure)
        for what, ending in erasing.ENDINGS_OF_ACCOUNTS.items():
            ENDINGS.register(what, ending)
        for name, purge in erasing.EXPIRED_OF_ACCOUNTS.items():
            EXPIRED_DATA.register(name, purge)
        MEMBER_PROFILE.register(Profile(ProfileLine, profile_line, take_profile))
        LAST_RUNS.register(last_runs)
        MAIL_QUEUE_AGE.register(queue_age)
        DROPPED_MORNINGS.register(dropped_mornings)
        SEALED.register("second_factors", SECOND_FACTORS)
        SEALED.register("queued_mail", QUEUED_MAIL)


class OperatorsConfig(admin_apps.AdminConfig):
    """Django's admin with our site."""

    default = False
    default_site = "accounts.operators.site.OperatorSite"

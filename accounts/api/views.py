"""Operations on the member and the log of changes."""

from collections.abc import Callable
from http import HTTPStatus
from uuid import UUID

from django.conf import settings

from accounts.api.serializers import ChangesQuery, MemberRow
from accounts.credentials.limiting import limits_of
from accounts.members.models import Member
from accounts.members.profile import MemberChanges, update_me
from studyservice.archive import exporting, importing
from studyservice.archive.importing import ArchiveImportRow
from studyservice.changes.contents import ChangeRow
from studyservice.hooks import Hook
from studyservice.operations.answers import DownloadRow
from studyservice.operations.declaration import Scope, operation
from studyservice.operations.serializers import Page
from studyservice.rows.access import Credential
from studyservice.undo import log as change_log
from studyservice.undo import undo
from studyservice.viewsets import MemberViewSet

CountStreak = Callable[[Member], int]
"""Returns the number of consecutive days with practice, in one query. Implemented by a higher app."""

PRACTICE_STREAK = Hook[CountStreak]("PRACTICE_STREAK")


def profile(credential: Credential) -> MemberRow:
    """Return the `MemberRow` of the credential's member.

    Costs one query for the streak, and another if the credential is limited to courses.
    """
    member = credential.member
    today = member.today()
    count_streak = PRACTICE_STREAK.get()
    return {
        "id": member.id,
        "email": member.email,
        "name": member.name,
        "time_zone": member.time_zone,
        "desired_retention": member.desired_retention,
        "new_cards_a_day": member.new_cards_a_day,
        "morning_email": member.morning_email,
        "today": today,
        "weekday": f"{today:%A}",
        "practice_streak": count_streak(member),
        "membership": {
            "active": member.membership_is_active(),
            "until": member.membership_until,
            "renew_url": settings.MEMBERSHIP_URL or None,
        },
        "scopes": sorted(credential.scopes),
        "limits": limits_of(member, credential.limits),
        "created_at": member.created_at,
    }


class MeViewSet(MemberViewSet):
    """The member behind the credential."""

    tag = "Member"

    @operation("Get the member", scope=Scope.READ, answer=MemberRow, membership=False)
    def get_me(self) -> MemberRow:
        """The member's name, e-mail, time zone, today's date there, practice streak, membership and what this
        credential may do. Works without an active membership. new_cards_a_day and morning_email are set on this
        site's page /account, or by update_me over REST.

        Start here to check a key: it shows whose account it reads, what it may do and whether the membership is
        active. This is the only operation that works for a lapsed member.
        """
        return profile(self.credential)

    @operation(
        "Change the member",
        scope=Scope.WRITE,
        answer=MemberRow,
        body=MemberChanges,
        partial=True,
        tool=False,
        whole_account=True,
    )
    def update_me(self) -> MemberRow:
        """Change the fields of the member's profile that are sent. A new time zone applies at once to today, the agenda
        and overdue steps; days of practice keep their dates. morning_email sends an e-mail each morning with what is
        due.

        Send only the fields to change. The time zone decides when a day begins, so deadlines, overdue steps and
        streaks can move at once.
        """
        update_me(self.member, **self.body)
        return profile(self.credential)


class ArchiveViewSet(MemberViewSet):
    """Export and import of a member's data."""

    tag = "Member"

    @operation(
        "Export all data",
        scope=Scope.READ,
        answer=DownloadRow,
        downloads=(exporting.MEDIA_TYPE,),
        tool=False,
        whole_account=True,
    )
    def export_data(self) -> DownloadRow:
        """Everything that is stored for the member, as one ZIP: courses, items, milestones, grades, decks with their
        schedule and review log, practice, files, the log of changes. It holds no credential and no account events, such
        as sign-ins. Ten an hour.

        Save a complete copy of the account, for a backup or to move to another one. Build it at most ten times
        an hour. The archive guide lists every file in it.
        """
        return exporting.export_data(self.member)

    @operation(
        "Import all data",
        scope=Scope.WRITE,
        answer=ArchiveImportRow,
        status=HTTPStatus.CREATED,
        upload=importing.UPLOAD,
        counted=True,
        consequential=True,
        tool=False,
        whole_account=True,
    )
    def import_data(self) -> ArchiveImportRow:
        """Imports an archive of export_data, up to 200 MiB, into an account without courses and decks: everything is
        restored under new ids, or nothing. It cannot be undone.

        Fill an empty account from an archive. The import is all or nothing, so a failed one leaves the account
        empty. Ids are new; everything else is the same.
        """
        return importing.import_data(self.member, self.upload.file)


class ChangeViewSet(MemberViewSet):
    """The log of changes."""

    tag = "Changes"

    @operation("List changes", scope=Scope.READ, answer=ChangeRow, many=True, query=ChangesQuery, tool=False)
    def list_changes(self) -> Page[ChangeRow]:
        """The changes of the member's study data in the last 90 days, newest first, with actors, old and new values.
        Includes card reviews, and what operators read.

        Read the history that members see on the Activity page. Each change names its actor and the fields
        before and after.

        Poll it to mirror the account: read pages until the newest change of the last time.
        """
        return change_log.list_changes(self.access, **self.query)

    @operation(
        "Undo a change",
        scope=Scope.WRITE,
        answer=ChangeRow,
        consequential=True,
        tool=False,
        still_seen=change_log.change_still_seen,
    )
    def undo_change(self, change_id: UUID) -> ChangeRow:
        """Undoes a change of the last 30 days, with everything its call did: created objects are deleted, fields get
        their old values, deleted objects are restored. Nothing that changed since is overwritten: 409 then names the
        conflict. An undo cannot be undone.

        Reverse one change completely, for example a deleted course with all its items. Newer changes are never
        overwritten. If one is in the way, the answer is 409 and names it.
        """
        return undo.undo_change(self.access, change_id)

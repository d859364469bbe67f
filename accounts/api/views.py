"""Operations on the member and the log of changes."""

from http import HTTPStatus
from uuid import UUID

from accounts.api.profile import profile
from accounts.api.serializers import ChangesQuery, MemberRecord, MemberRow
from accounts.api.viewsets import MemberViewSet
from accounts.archive import exporting, importing
from accounts.archive.records import ArchiveImportRecord, ArchiveImportRow
from accounts.changes.records import ChangeRecord, ChangeRow
from accounts.members.profile import MemberChanges, update_me
from accounts.undo import log as change_log
from accounts.undo import undo
from studyservice.operations.declaration import Scope, operation
from studyservice.operations.downloads import DownloadRecord, DownloadRow
from studyservice.operations.serializers import Page


class MeViewSet(MemberViewSet):
    """The member behind the credential."""

    tag = "Member"

    @operation("Get the member", scope=Scope.READ, answer=MemberRecord, membership=False)
    def get_me(self) -> MemberRow:
        """The member's name, e-mail, time zone, today's date there, practice streak, membership and what this
        credential may do. Works without an active membership.
        """
        return profile(self.credential)

    @operation(
        "Change the member", scope=Scope.WRITE, answer=MemberRecord, body=MemberChanges, partial=True, tool=False
    )
    def update_me(self) -> MemberRow:
        """Change the fields that are sent of the member's profile. A new time zone counts at once for today, the agenda
        and what is overdue; days of practice keep their dates.
        """
        update_me(self.member, **self.body)
        return profile(self.credential)


class ArchiveViewSet(MemberViewSet):
    """All that a member has, out and in."""

    tag = "Member"

    @operation(
        "Export all data", scope=Scope.READ, answer=DownloadRecord, downloads=(exporting.MEDIA_TYPE,), tool=False
    )
    def export_data(self) -> DownloadRow:
        """Everything that is stored for the member, as one ZIP: courses, items, milestones, grades, decks with their
        schedule and review log, practice, files, the log of changes. It holds no credential and no account events, such
        as sign-ins. Ten an hour.
        """
        return exporting.export_data(self.member, account_events=False)

    @operation(
        "Import all data",
        scope=Scope.WRITE,
        answer=ArchiveImportRecord,
        status=HTTPStatus.CREATED,
        upload=importing.UPLOAD,
        counted=True,
        consequential=True,
        tool=False,
    )
    def import_data(self) -> ArchiveImportRow:
        """Takes an archive of export_data, up to 200 MiB, into an account without courses and decks: everything is
        there again, under new ids. All of it is taken in, or nothing. It cannot be undone.
        """
        return importing.import_data(self.member, self.upload.file)


class ChangeViewSet(MemberViewSet):
    """The log of changes."""

    tag = "Changes"

    @operation("List changes", scope=Scope.READ, answer=ChangeRecord, many=True, query=ChangesQuery, tool=False)
    def list_changes(self) -> Page[ChangeRow]:
        """What was changed in the member's study data over the last 90 days, by whom, and what it was before; newest
        first. Reviews of cards and what operators looked at are among it.
        """
        return change_log.list_changes(self.member, **self.query)

    @operation("Undo a change", scope=Scope.WRITE, answer=ChangeRecord, consequential=True, tool=False)
    def undo_change(self, change_id: UUID) -> ChangeRow:
        """Takes a change of the last 30 days back, all that its call did: what was made is deleted, fields get their
        old values, what was deleted comes back. Nothing that changed since is overwritten: 409 then says what stands
        in the way. An undo cannot be undone.
        """
        return undo.undo_change(self.member, change_id)

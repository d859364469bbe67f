"""Operations on the member."""

from accounts.profile import profile
from accounts.serializers import MemberRecord, MemberRow
from accounts.viewsets import MemberViewSet
from studyservice.operations.declaration import Scope, operation


class MeViewSet(MemberViewSet):
    """The member behind the credential."""

    tag = "Member"

    @operation("Get the member", scope=Scope.READ, answer=MemberRecord, membership=False)
    def get_me(self) -> MemberRow:
        """The member's name, e-mail, time zone, today's date there, practice streak, membership and what this
        credential may do. Works without an active membership.
        """
        return profile(self.credential)

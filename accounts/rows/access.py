"""What a call may see, and for whom: the first argument of every domain function."""

from dataclasses import dataclass, field, replace
from datetime import date, datetime
from uuid import UUID

from accounts.changes.recording import Write
from accounts.credentials.limits import NO_LIMITS, Limits
from accounts.members.models import Member


@dataclass(slots=True)
class Access:
    """One call's view of a member's data. Pages, the admin and commands have no limits.

    Attributes:
        limits: of the credential.
        kind: of the credential (`Credential.kind`); empty without one.
        holder: the API key, or the consent of the access token; None without one.
        write: the change that is being made (`accounts.rows.change.change`); None outside of one.
    """

    member: Member
    limits: Limits = NO_LIMITS
    kind: str = ""
    holder: UUID | None = None
    write: Write | None = field(default=None, compare=False)

    @property
    def whole(self) -> "Access":
        """The same call without limits: for maxima, and for what goes with a row that the call has found."""
        return replace(self, limits=NO_LIMITS) if self.limits.keep_back else self

    @property
    def now(self) -> datetime:
        """The stamp of the change that is being made.

        Raises:
            NotFound: the member is gone, or is being deleted.
        """
        return self.open_write.now

    @property
    def open_write(self) -> Write:
        """The change that is being made.

        Raises:
            RuntimeError: there is none. A bug in the service.
        """
        if self.write is None:
            raise RuntimeError("Rows of a member are changed outside of `with change(access, ...)`.")
        return self.write

    def today(self) -> date:
        """Return the member's date."""
        return self.member.today()

    def with_course(self, course_id: UUID) -> None:
        """See a course that the call has created."""
        if self.limits.courses is not None:
            self.limits = replace(self.limits, courses=(*self.limits.courses, str(course_id)))

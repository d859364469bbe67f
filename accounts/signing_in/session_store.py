"""Django's database sessions, in rows that name their member (Django, How to use sessions: Extending database-backed
session engines).
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.base import CreateError
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.contrib.sessions.exceptions import SessionInterrupted
from django.db import IntegrityError

from accounts.credentials.owners import note_use
from accounts.members.models import Member
from accounts.signing_in.browser_sessions import BrowserSession
from studyservice.database.signals import member_known

BROWSER = "browser"
"""Session entry: the browser's name."""


class SessionStore(DatabaseStore):
    """A session. It keeps the name of Django's class, which is part of the signature."""

    @classmethod
    def get_model_class(cls) -> type[BrowserSession]:
        return BrowserSession

    def load(self) -> dict[str, Any]:
        """Return the data of the session, and record its use."""
        session = self._get_session_from_db()  # type: ignore[attr-defined]  # missing in the stubs
        if session is None:
            return {}
        held: dict[str, Any] = self.decode(session.session_data)
        if SESSION_KEY in held:
            member_id = UUID(held[SESSION_KEY])
            member_known.send(None, member_id=member_id)
            note_use(
                BrowserSession,
                session.last_used_at,
                also={"member_id": member_id},
                session_key=session.session_key,
            )
        return held

    def create_model_instance(self, data: Mapping[str, Any]) -> BrowserSession:
        """Return the row to store."""
        session: BrowserSession = super().create_model_instance(data)  # type: ignore[arg-type,assignment]  # as above
        session.member_id = data.get(SESSION_KEY)
        session.browser = data.get(BROWSER, "")
        return session

    def save(self, must_create: bool = False) -> None:
        """Store the session.

        Raises:
            SessionInterrupted: its member was deleted meanwhile. Django would treat that as a key in use, and try
                others without end.
        """
        try:
            super().save(must_create)
        except (CreateError, IntegrityError) as error:
            member_id = self.get(SESSION_KEY)
            if member_id is None or Member.objects.filter(id=member_id).exists():
                raise
            raise SessionInterrupted("The member was deleted while the request was answered.") from error

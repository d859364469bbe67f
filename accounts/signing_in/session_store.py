"""Django's sessions in the database, in rows that name their member (Django, How to use sessions: Extending
database-backed session engines).
"""

import logging
from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.base import CreateError
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.contrib.sessions.exceptions import SessionInterrupted
from django.db import DatabaseError, IntegrityError
from django.utils import timezone

from accounts.members.models import Member
from accounts.signing_in.browser_sessions import BrowserSession
from studyservice.database.signals import member_known

logger = logging.getLogger(__name__)

BROWSER = "browser"
"""Session entry: the browser's name."""

LAST_USE_EVERY = timedelta(minutes=5)
"""How stale a session's recorded last use may be."""


class SessionStore(DatabaseStore):
    """A session; the name is Django's, which signs what is stored with it."""

    @classmethod
    def get_model_class(cls) -> type[BrowserSession]:
        return BrowserSession

    def load(self) -> dict[str, Any]:
        """What the session holds; notes at times that it was used."""
        session = self._get_session_from_db()  # type: ignore[attr-defined]  # missing in the stubs
        if session is None:
            return {}
        held: dict[str, Any] = self.decode(session.session_data)
        if SESSION_KEY in held:
            member_known.send(None, member_id=UUID(held[SESSION_KEY]))
        if SESSION_KEY in held and session.last_used_at < timezone.now() - LAST_USE_EVERY:
            _record_use(session, held)
        return held

    def create_model_instance(self, data: Mapping[str, Any]) -> BrowserSession:
        """The row to store."""
        session: BrowserSession = super().create_model_instance(data)  # type: ignore[arg-type,assignment]  # as above
        session.member_id = data.get(SESSION_KEY)
        session.browser = data.get(BROWSER, "")
        return session

    def save(self, must_create: bool = False) -> None:
        """Store the session.

        Raises:
            SessionInterrupted: its member was deleted meanwhile. Django would take that for a key that is in use, and
                try others without end.
        """
        try:
            super().save(must_create)
        except (CreateError, IntegrityError) as error:
            member_id = self.get(SESSION_KEY)
            if member_id is None or Member.objects.filter(id=member_id).exists():
                raise
            raise SessionInterrupted("The member was deleted while the request was answered.") from error


def _record_use(session: BrowserSession, held: Mapping[str, Any]) -> None:
    """Two requests at once write one time. Where nothing can be written, as on a full disk, reading goes on."""
    now = timezone.now()
    stale = BrowserSession.objects.filter(session_key=session.session_key, last_used_at__lt=now - LAST_USE_EVERY)
    try:
        stale.update(last_used_at=now, member_id=held[SESSION_KEY])
    except DatabaseError:
        logger.exception("The use of a session could not be recorded")

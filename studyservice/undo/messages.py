"""Flash messages of pages. One that says what a form changed has *Undo*."""

from uuid import UUID

from django.contrib.messages import SUCCESS
from django.contrib.messages.storage.session import SessionStorage
from django.urls import reverse
from django.utils.html import format_html

from studyservice.changes.calls import current_call
from studyservice.models import ActorKind
from studyservice.rows.access import Access
from studyservice.undo.log import ask_for_change

_UNDO = '{} <button type="submit" class="quiet small" form="undo" formaction="{}" name="also" value="{}">Undo</button>'
"""The form is in `studyservice/base.html`, with its token and the address of the page."""


class UndoStorage(SessionStorage):
    """The messages in a session. After changes of a page, `messages.success` also offers to undo them."""

    def add(self, level: int, message: str, extra_tags: str | None = "") -> None:
        """Add a message. A query for each change tells whether it can be undone."""
        changes = self._undoable() if level == SUCCESS else []
        if changes:
            newest, *others = changes
            address = reverse("undo-change", args=[newest])
            message = format_html(_UNDO, message, address, " ".join(map(str, others)))
        super().add(level, message, extra_tags)

    def _undoable(self) -> list[UUID]:
        """Return the changes by this page that can be undone, newest first."""
        call, member = current_call(), self.request.user
        if call is None or not call.change_ids or call.who().kind is not ActorKind.PAGE or member.is_anonymous:
            return []
        asked = [ask_for_change(Access(member), id_) for id_ in reversed(call.change_ids)]
        return [change["id"] for ask in asked if (change := ask()) is not None and change["undoable"]]

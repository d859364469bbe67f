"""Delete an app that is in use, while members connect it and refresh its tokens."""

from django.db import transaction

from oauthserver.families import end_families, families_of, members_of
from oauthserver.models import Application


def delete_app(app: Application) -> None:
    """Delete `app` with all its codes and tokens.

    Its lock waits for rows that are being stored, which are then deleted too. Later requests find it deleted
    (`oauthserver.clients.locked_app`). Disconnect its members before, each in a separate transaction
    (`oauthserver.connections.disconnect_all_members`), so that no member waits for all others.
    """
    with transaction.atomic():
        Application.objects.select_for_update().filter(pk=app.pk).values_list("pk").first()
        for member_id in members_of(application=app):
            end_families(member_id, families_of(user_id=member_id, application=app))
        app.delete()

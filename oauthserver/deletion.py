"""An operator deletes an app that is in use, while its members connect it and its tokens are refreshed."""

from django.db import transaction

from oauthserver.families import end_families, families_of, members_of
from oauthserver.models import Application


def delete_app(app: Application) -> None:
    """Delete `app` with every code and token of it.

    It is locked first: what is being stored for it at this moment is waited for and goes too, and what comes later
    finds it gone (`oauthserver.clients.stays`). Its members should be disconnected before, each in a transaction of
    its own (`oauthserver.connections.disconnect_all_members`), so that no member waits for all others.
    """
    with transaction.atomic():
        Application.objects.select_for_update().filter(pk=app.pk).values_list("pk").first()
        for member_id in members_of(app):
            end_families(member_id, families_of(user_id=member_id, application=app))
        app.delete()

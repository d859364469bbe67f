"""The apps that a member has connected."""

from datetime import datetime
from uuid import UUID

from accounts.connections import ConnectedApp
from accounts.models import Member
from accounts.writing import writing
from oauthserver.models import (
    AccessToken,
    Application,
    Grant,
    RefreshToken,
    end_families,
    families_of,
    live_refresh_tokens,
)
from oauthserver.platforms import is_verified
from oauthserver.scopes import scopes_from


def connected_apps(member: Member) -> list[ConnectedApp]:
    """The apps that can reach the member's data, the newest first; costs two queries.

    An app is used when it gets a token, which it does at least hourly while it is at work.
    """
    tokens = live_refresh_tokens().filter(user=member).select_related("application")
    consented = dict(Grant.objects.filter(user=member).values_list("token_family", "created"))
    by_app: dict[UUID, list[RefreshToken]] = {}
    for token in tokens:
        by_app.setdefault(token.application_id, []).append(token)
    apps = [
        ConnectedApp(
            id=app_id,
            name=held[0].application.name,
            verified=is_verified(held[0].application),
            scopes=frozenset().union(*(scopes_from(token.scope) for token in held)),
            connected_at=min(consented.get(token.token_family, token.created) for token in held),
            last_used_at=max(token.created for token in held),
        )
        for app_id, held in by_app.items()
    ]
    return sorted(apps, key=lambda app: app.connected_at, reverse=True)


def disconnect(member: Member, app_id: UUID) -> None:
    """Kill every code and token that the app has for the member, in one transaction; nothing happens without any."""
    with writing(member.id):
        end_families(families_of(user=member, application_id=app_id))


def disconnect_all_apps(member: Member) -> None:
    """Kill every code and token that any app has for the member."""
    with writing(member.id):
        end_families(families_of(user=member))


def disconnect_all_members(app: Application) -> int:
    """Kill every code and token that `app` has, member by member; gives the number of members."""
    members = set(Grant.objects.filter(application=app).values_list("user", flat=True))
    members.update(AccessToken.objects.filter(application=app).values_list("user", flat=True))
    for member_id in members:
        with writing(member_id):
            end_families(families_of(user_id=member_id, application=app))
    return len(members)


class OAuthConnections:
    """What the key page asks (`accounts.connections.Connections`)."""

    of = staticmethod(connected_apps)
    disconnect = staticmethod(disconnect)


def bring_tokens_back(member: Member, now: datetime) -> None:
    """End what was minted later than `now`, by a clock ahead, and would live too long: the app connects again."""
    minted = AccessToken.objects.filter(user=member, created__gt=now).values_list("token_family", flat=True)
    consented = Grant.objects.filter(user=member, created__gt=now).values_list("token_family", flat=True)
    end_families({*minted, *consented})

"""Apps and their connections in the admin. Secrets and their hashes are never shown."""

from typing import Any

from django.contrib import admin
from django.contrib.admin.utils import unquote
from django.db.models import Exists, Model, OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from oauth2_provider.models import get_device_grant_model, get_id_token_model

from accounts.operators.base import PageAction, ServiceAdmin
from accounts.operators.lists import counted
from oauthserver.admin_lists import (
    BlockFilter,
    RefusedFilter,
    UseFilter,
    last_refusal,
    refused_in_words,
    up_to,
    with_calls,
)
from oauthserver.connections import delete_app, disconnect_all_members, end_consents
from oauthserver.consents import block, unblock
from oauthserver.models import (
    AccessToken,
    Application,
    BlockedApp,
    ConnectedMember,
    Grant,
    RefreshToken,
    live_refresh_tokens,
)
from studyservice.operations.fields import parse_uuid

for unused in (Application, Grant, AccessToken, RefreshToken, get_id_token_model(), get_device_grant_model()):
    if admin.site.is_registered(unused):
        admin.site.unregister(unused)  # registered by the toolkit


class _Listed(ServiceAdmin):
    """Rows that the service creates itself: read-only, and ended by an action."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Return False: there is an action instead."""
        return False


@admin.register(Application)
class ApplicationAdmin(_Listed):
    """Apps: their stated identity, whether we verified it, and the members who connected them."""

    list_display = (
        "name",
        "client_id",
        "blocked",
        "created",
        "members",
        "last_use",
        "refused_members",
    )
    list_filter = (
        RefusedFilter,
        "verified",
        BlockFilter,
        UseFilter,
        "registration_source",
        "token_endpoint_auth_method",
    )
    fields = (
        "name",
        "verified",
        "blocked",
        "client_id",
        "redirect_uris",
        "token_endpoint_auth_method",
        "auth_method_named",
        "registration_source",
        "created",
        "first_token_at",
        "last_use",
        "refused_members",
        "why_refused",
        "connections",
    )
    readonly_fields = tuple(name for name in fields if name != "verified")
    actions = ("revoke_everything", "block", "unblock")
    ordering = ("-created",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Application]:
        """Return apps with the columns of their list."""
        apps: QuerySet[Application] = super().get_queryset(request)
        return with_calls(apps)

    @admin.display(description="members")
    def members(self, app: Application) -> str:
        """Return members with a live consent for the app."""
        return up_to(getattr(app, "members", 0))

    @admin.display(description="last use")
    def last_use(self, app: Application) -> Any:
        """Return the time of the app's last successful call, for any member."""
        return getattr(app, "last_call_at", None)

    @admin.display(description="refused, 24 h")
    def refused_members(self, app: Application) -> str:
        """Return the number of members whose calls were refused in the last day."""
        return up_to(getattr(app, "refused_members", 0))

    @admin.display(description="last refused")
    def why_refused(self, app: Application) -> str | None:
        """Return the time and reason of the app's last refused call, for any member. Only on the app's page."""
        consent = last_refusal(app)
        return None if consent is None else refused_in_words(consent)

    @admin.display(boolean=True)
    def blocked(self, app: Application) -> bool:
        """Return whether the app is blocked."""
        return bool(getattr(app, "is_blocked", False))

    def page_actions(self, obj: Application) -> tuple[PageAction, ...]:
        """Offer to block the app or to unblock it, and to end its connections."""
        revoke = PageAction(
            "revoke_everything",
            "Revoke every token",
            "The app is disconnected from all members. They can connect it again.",
        )
        if self.blocked(obj):
            return (PageAction("unblock", "Unblock", "The consents of its members work again."), revoke)
        effect = "No consent, token or call of the app is accepted until it is unblocked."
        return (PageAction("block", "Block", effect), revoke)

    @admin.action(description="Block the selected apps: no consent, no token, no call", permissions=["change"])
    def block(self, request: HttpRequest, queryset: QuerySet[Application]) -> None:
        """Block the apps at once, for all members."""
        self.act(request, queryset, lambda app: block(app.client_id), noun="app", verb="Blocked")

    @admin.action(description="Unblock the selected apps", permissions=["change"])
    def unblock(self, request: HttpRequest, queryset: QuerySet[Application]) -> None:
        """Unblock the apps. Existing consents work again."""
        self.act(request, queryset, lambda app: unblock(app.client_id), noun="app", verb="Unblocked")

    def matching(self, term: str) -> Q:
        """Search for the beginning of a client id, or a part of the name or of a redirect URI."""
        if parse_uuid(term) is not None:
            return super().matching(term)
        return Q(client_id__startswith=term) | Q(name__icontains=term) | Q(redirect_uris__icontains=term)

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Allow deleting the app with its tokens, if the permissions do."""
        return admin.ModelAdmin.has_delete_permission(self, request, obj)

    def delete_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> Any:
        """Disconnect its members one by one, before the transaction in which Django deletes it."""
        app = self.get_object(request, unquote(object_id))
        if request.method == "POST" and app is not None and self.has_delete_permission(request, app):
            disconnect_all_members(app)
        return super().delete_view(request, object_id, *args, **kwargs)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Application]) -> None:
        """Do the same for each app. Here Django opens no transaction."""
        for app in queryset:
            disconnect_all_members(app)
            self.delete_model(request, app)

    def delete_model(self, request: HttpRequest, obj: Application) -> None:
        """Delete the app safely, even if it is in use."""
        delete_app(obj)

    @admin.display(description="connections")
    def connections(self, app: Application) -> str:
        """Return the number of connected members, with a link to them."""
        count = live_refresh_tokens().filter(application=app).count()
        link = reverse("admin:oauthserver_refreshtoken_changelist", query={"application__id__exact": app.pk})
        return format_html('<a href="{}">{}</a>', link, count)

    @admin.action(description="Revoke every token of the selected apps", permissions=["change"])
    def revoke_everything(self, request: HttpRequest, queryset: QuerySet[Application]) -> None:
        """Disconnect the apps from all members."""
        members = 0
        for app in queryset:
            members += disconnect_all_members(app)
            self.log_change(request, app, "Revoked every token.")
        self.message_user(request, f"Revoked: {counted(members, 'connection')}.")


@admin.register(BlockedApp)
class BlockedAppAdmin(ServiceAdmin):
    """Blocked client ids, including those of apps that nobody has connected. Deleting one unblocks it."""

    list_display = ("client_id", "note", "created")
    fields = ("client_id", "note")
    ordering = ("client_id",)

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> tuple[str, ...]:
        """Make the client id of an existing block read-only."""
        return () if obj is None else ("client_id",)

    def matching(self, term: str) -> Q:
        """Search for the beginning of a client id."""
        return Q(client_id__startswith=term)


@admin.register(RefreshToken)
class ConnectionAdmin(_Listed):
    """Consents of members, one row for each live one."""

    list_display_links = None
    list_display = ("application", "user", "scope", "resource", "created", "expires", "last_call", "last_refused")
    list_select_related = ("application", "user")
    email_path = "user__email"
    text_path = "application__name"
    linked_filters = ("application__id__exact",)
    actions = ("revoke",)
    ordering = ("-expires",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[RefreshToken]:
        """Return the live consents, with the times of their calls."""
        consent = Grant.objects.filter(token_family=OuterRef("token_family"))
        return live_refresh_tokens().annotate(
            last_call_at=Subquery(consent.values("last_call_at")),
            refused_at=Subquery(consent.values("refused_at")),
            refusal=Subquery(consent.values("refusal")),
        )

    @admin.display(ordering="last_call_at")
    def last_call(self, connection: RefreshToken) -> Any:
        """Return the time of the last successful call."""
        return getattr(connection, "last_call_at", None)

    @admin.display(ordering="refused_at")
    def last_refused(self, connection: RefreshToken) -> str | None:
        """Return the time and reason of the last refused call."""
        return refused_in_words(connection)

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        """Allow only the action. There is nothing to edit."""
        return obj is None and super().has_change_permission(request)

    @admin.action(description="Revoke the selected connections", permissions=["change"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[RefreshToken]) -> None:
        """Disconnect with all tokens."""
        chosen = list(queryset.values_list("user_id", "token_family"))
        for member_id, family in chosen:
            end_consents(member_id, token_family=family)
        self.message_user(request, f"Revoked: {counted(len(chosen), 'connection')}.")


@admin.register(ConnectedMember)
class ConnectedMemberAdmin(_Listed):
    """Members with connected apps."""

    list_display = ("email", "name")
    email_path = "email"
    fields = readonly_fields = ("email", "name")
    actions = ("revoke_everything",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[ConnectedMember]:
        """Return members with a live connection."""
        return super().get_queryset(request).filter(Exists(live_refresh_tokens().filter(user=OuterRef("pk"))))

    @admin.action(description="Revoke every app of the selected members", permissions=["change"])
    def revoke_everything(self, request: HttpRequest, queryset: QuerySet[ConnectedMember]) -> None:
        for member in queryset:
            end_consents(member.id)
        self.message_user(request, f"Revoked every app of {counted(len(queryset), 'member')}.")

"""Members and API keys for the operators."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminUserCreationForm, SetUnusablePasswordMixin, UserChangeForm
from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.urls import URLPattern, path, reverse
from django.utils.decorators import method_decorator
from django.utils.html import format_html
from django.views.decorators.csrf import csrf_protect

from accounts.credentials import api_keys, calendar_feeds
from accounts.credentials.models import ApiKey, CalendarFeed
from accounts.erasure.erasing import erase_member
from accounts.members import membership
from accounts.members.models import Member
from accounts.operators.credential_finding import find_credential
from accounts.operators.filters import KeyStateFilter, MembershipFilter
from accounts.signing_in import sessions
from accounts.signing_in.email_changes import leave_address
from accounts.signing_in.second_factor.keeping import reset
from studyservice.admin.base import PageAction, ReadOnlyAdmin, ServiceAdmin, ServiceInline, counted
from studyservice.secrets.generated import beginning_of_hint

if TYPE_CHECKING:
    _CreationForm = AdminUserCreationForm[Member]
    _ChangeForm = UserChangeForm[Member]
    _UserAdmin = UserAdmin[Member]
else:
    _CreationForm = AdminUserCreationForm
    _ChangeForm = UserChangeForm
    _UserAdmin = UserAdmin

_PRIVILEGES = ("is_active", "is_staff", "is_superuser", "groups")


class NewMemberForm(_CreationForm):
    """A new member, usually without a password."""

    usable_password = SetUnusablePasswordMixin.create_usable_password_field(
        "Without a password, sign-in is by e-mailed code."
    )

    class Meta:
        model = Member
        fields = ("email", "name", "time_zone")


class MemberForm(_ChangeForm):
    """An existing member."""

    class Meta:
        model = Member
        fields = (
            "email",
            "name",
            "time_zone",
            "desired_retention",
            "new_cards_a_day",
            "membership_active",
            "membership_until",
            *_PRIVILEGES,
        )


class ActiveKeyInline(ServiceInline):
    """A member's active keys, ten at most. The list of keys has the others."""

    model = ApiKey
    verbose_name_plural = "active API keys"
    fields = readonly_fields = ("name", "hint", "may_write", "created_at", "expires_at", "last_used_at")
    show_change_link = True
    can_delete = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).filter(api_keys.active())

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return False: only the key page and the command can show a new key once."""
        return False


def _is_guarded(request: HttpRequest, obj: Any) -> bool:
    return isinstance(obj, Member) and obj.is_staff and not request.user.is_superuser


@admin.register(Member)
class MemberAdmin(ServiceAdmin, _UserAdmin):
    """Members, with actions to renew and end memberships and to revoke keys."""

    email_path = "email"
    paginator: ClassVar[Any] = Paginator  # counts all: an operator must know how many there are, and see each
    search_help_text = (
        "The beginning of an e-mail address or its domain, an id, or a part of the name. All members are counted."
    )
    form = MemberForm
    add_form = NewMemberForm
    list_display = ("email", "name", "membership", "membership_until", "is_staff", "created_at")
    list_filter = (MembershipFilter, "is_staff", "is_active")
    ordering = ("email",)
    filter_horizontal = ()
    autocomplete_fields = ("groups",)
    readonly_fields = ("created_at", "last_login", "logs")
    inlines = (ActiveKeyInline,)
    actions = ("renew", "lapse", "revoke_keys", "end_sessions", "reset_second_factor")
    fieldsets = (
        (None, {"fields": ("email", "name", "time_zone", "desired_retention", "new_cards_a_day", "password")}),
        ("Membership", {"fields": ("membership_active", "membership_until")}),
        ("Access", {"fields": _PRIVILEGES}),
        ("Dates", {"fields": ("created_at", "last_login", "logs")}),
    )
    add_fieldsets = ((None, {"fields": ("email", "name", "time_zone", "usable_password", "password1", "password2")}),)

    def matching(self, term: str) -> Q:
        """Search for the beginning of an address, or any part of a name."""
        if "@" in term[1:]:
            return super().matching(term)
        return super().matching(term) | Q(email__startswith=term.lower())

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Allow only superusers to edit another operator, including the password."""
        return not _is_guarded(request, obj) and super().has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return not _is_guarded(request, obj) and super().has_delete_permission(request, obj)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        """Allow only superusers to grant privileges."""
        fixed = super().get_readonly_fields(request, obj)
        return fixed if request.user.is_superuser else (*fixed, *_PRIVILEGES)

    def get_inlines(self, request: HttpRequest, obj: Any) -> Any:
        """Show no keys for a new member."""
        return () if obj is None else super().get_inlines(request, obj)

    def save_model(self, request: HttpRequest, obj: Member, form: Any, change: bool) -> None:
        """Store a new member, or the edited fields of an existing one, so that concurrent changes stay."""
        if not change:
            obj.save()
            return
        stored = {field.name for field in Member._meta.concrete_fields}
        obj.save(update_fields=[name for name in form.changed_data if name in stored])
        if "email" in form.changed_data:
            leave_address(obj.id, form.initial["email"], obj.email)

    @method_decorator(csrf_protect)
    def delete_view(self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None) -> Any:
        """Delete without Django's transaction, since deleting a member takes several."""
        view = self._delete_view  # type: ignore[attr-defined]  # missing in the stubs
        return self._told(request, view, object_id, extra_context)

    def delete_model(self, request: HttpRequest, obj: Member) -> None:
        """Delete the member with all data."""
        erase_member(obj.id)

    @admin.display(description="logs")
    def logs(self, member: Member) -> str:
        """Return links to the member's log of changes and account events."""
        return format_html(
            '<a href="{0}?member__id__exact={2}">changes</a>, <a href="{1}?member__id__exact={2}">account events</a>',
            reverse("admin:accounts_change_changelist"),
            reverse("admin:accounts_accountevent_changelist"),
            member.id,
        )

    @admin.display(boolean=True, description="membership")
    def membership(self, member: Member) -> bool:
        return member.membership_is_active()

    @admin.action(description="Renew the membership, open-ended", permissions=["change"])
    def renew(self, request: HttpRequest, queryset: QuerySet[Member]) -> None:
        """Activate without a last day. To set one, edit the member."""
        self._each(request, queryset, membership.renew, "Renewed", "Renewed the membership")

    @admin.action(description="End the membership", permissions=["change"])
    def lapse(self, request: HttpRequest, queryset: QuerySet[Member]) -> None:
        self._each(request, queryset, membership.lapse, "Ended", "Ended the membership")

    @admin.action(description="Revoke all API keys", permissions=["change"])
    def revoke_keys(self, request: HttpRequest, queryset: QuerySet[Member]) -> None:
        self._each(request, queryset, api_keys.revoke_all, "Revoked the API keys of")

    @admin.action(description="Sign out of every browser", permissions=["change"])
    def end_sessions(self, request: HttpRequest, queryset: QuerySet[Member]) -> None:
        """Sign out at once. API keys keep working."""
        self._each(request, queryset, sessions.end_sessions, "Ended the sessions of")

    @admin.action(description="Reset the second factor", permissions=["reset"])
    def reset_second_factor(self, request: HttpRequest, queryset: QuerySet[Member]) -> None:
        """Remove the second factor. The next sign-in to the admin sets up a new one."""
        members = list(queryset)
        for member in members:
            reset(member, by=request.user.pk)
        self.message_user(request, f"Reset: {counted(len(members), 'second factor')}.")

    def has_reset_permission(self, request: HttpRequest) -> bool:
        """Allow only superusers, since it affects other operators."""
        return bool(request.user.is_superuser)

    def _each(
        self,
        request: HttpRequest,
        queryset: QuerySet[Member],
        change: Callable[[Member], object],
        verb: str,
        done: str = "",
    ) -> None:
        """Change each member, and log `done`, or `verb` if that is enough."""
        members = [member for member in queryset if self.has_change_permission(request, member)]
        for member in members:
            change(member)
            self.log_change(request, member, f"{done or verb.removesuffix(' of')}.")
        self.message_user(request, f"{verb}: {counted(len(members), 'member')}.")


@admin.register(ApiKey)
class ApiKeyAdmin(ReadOnlyAdmin):
    """API keys, without their hashes. Members create them, operators revoke them."""

    list_display = ("name", "hint", "member", "state", "may_write", "created_at", "expires_at", "last_used_at")
    list_filter = (KeyStateFilter,)
    list_select_related = ("member",)
    ordering = ("member_id", "-created_at")
    fields = (
        *("name", "hint", "member", "state", "may_write", "created_at", "expires_at", "revoked_at", "last_used_at"),
        *("refused_at", "refused_in_words"),
    )
    actions = ("revoke",)
    search_help_text = f"{ServiceAdmin.search_help_text} Or the visible beginning of a key."

    def get_urls(self) -> list[URLPattern]:
        """Add the page that finds a credential by its full text."""
        find = path("find/", self.admin_site.admin_view(find_credential), name="find_credential")
        return [find, *super().get_urls()]

    def matching(self, term: str) -> Q:
        """Find a key by its hint too. Only the visible part of a whole key is used."""
        hint = beginning_of_hint(term)
        return Q(hint__startswith=hint) if hint else super().matching(term)

    def page_actions(self, obj: ApiKey) -> tuple[PageAction, ...]:
        """Offer to revoke the key, once."""
        effect = "The key stops working with its next request, for good. The member can create another one."
        return () if obj.state() == "revoked" else (PageAction("revoke", "Revoke", effect),)

    @admin.action(description="Revoke", permissions=["revoke"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[ApiKey]) -> None:
        keys = list(queryset.filter(revoked_at=None))
        for key in keys:
            api_keys.revoke_api_key(key)
            self.log_change(request, key, "Revoked.")
        self.message_user(request, f"Revoked: {counted(len(keys), 'key')}.")

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        """The permission to change a key includes revoking it."""
        return bool(request.user.has_perm("accounts.change_apikey"))


@admin.register(CalendarFeed)
class CalendarFeedAdmin(ReadOnlyAdmin):
    """Calendar addresses, without their hashes. Members create them, operators end them."""

    text_path = "member__email"
    list_display = ("member", "created_at", "last_used_at")
    list_select_related = ("member",)
    ordering = ("member_id",)
    fields = ("member", "created_at", "last_used_at")
    actions = ("end",)

    def page_actions(self, obj: CalendarFeed) -> tuple[PageAction, ...]:
        """Offer to end the address."""
        effect = "Calendar apps can no longer read this address, for good. The member can create another one."
        return (PageAction("end", "End", effect),)

    @admin.action(description="End", permissions=["end"])
    def end(self, request: HttpRequest, queryset: QuerySet[CalendarFeed]) -> None:
        feeds = list(queryset)
        for feed in feeds:
            calendar_feeds.end_feed(feed.member_id)
            self.log_change(request, feed, "Ended.")
        self.message_user(request, f"Ended: {counted(len(feeds), 'calendar feed')}.")

    def has_end_permission(self, request: HttpRequest) -> bool:
        """The permission to change an address includes ending it."""
        return bool(request.user.has_perm("accounts.change_calendarfeed"))

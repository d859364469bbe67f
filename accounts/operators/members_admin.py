"""Members and invitations for the operators."""

from collections.abc import Callable
from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminUserCreationForm, SetUnusablePasswordMixin, UserChangeForm
from django.core.paginator import Paginator
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.html import format_html
from django.views.decorators.csrf import csrf_protect

from accounts.credentials import keys
from accounts.credentials.models import ApiKey
from accounts.erasure.erasing import erase_member
from accounts.joining import Invitation, invite, withdraw
from accounts.members import membership, outbox, waiting
from accounts.members.models import Member
from accounts.members.waiting import WaitingMembership
from accounts.operators.base import ReadOnlyAdmin, ServiceAdmin, ServiceInline
from accounts.operators.lists import Conditions, StateFilter, counted
from accounts.signing_in import sessions
from accounts.signing_in.codes import leave_address
from accounts.signing_in.provider.memberships import is_given
from accounts.signing_in.second_factor.factors import reset

_PRIVILEGES = ("is_active", "is_staff", "is_superuser", "groups")


class InvitationForm(forms.ModelForm):  # type: ignore[type-arg]  # not generic at runtime
    """The form for an address. One that was invited before gets a new link."""

    class Meta:
        model = Invitation
        fields = ("email",)

    def validate_unique(self) -> None:
        """Skip the check: the new invitation replaces the old one."""


@admin.register(Invitation)
class InvitationAdmin(ServiceAdmin):
    """Pending invitations. The link is shown once, as it is sent."""

    email_path = text_path = "email"
    list_display = ("email", "name", "until", "created_at", "expires_at")
    ordering = ("email",)
    form = InvitationForm
    fields = ("email",)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return False: inviting an address again creates a new link."""
        return False

    def save_model(self, request: HttpRequest, obj: Invitation, form: Any, change: bool) -> None:
        """Invite, and send the link after the commit."""
        invited = invite(obj.email)
        outbox.deliver_soon([invited.mail_id])
        obj.id, obj.expires_at = invited.id, invited.expires_at
        self.message_user(request, f"Sent this link, which is shown only now: {invited.url}")

    def delete_model(self, request: HttpRequest, obj: Invitation) -> None:
        """Withdraw the invitation."""
        self.delete_queryset(request, Invitation.objects.filter(pk=obj.pk))

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Invitation]) -> None:
        """Withdraw several invitations."""
        withdraw(queryset)


@admin.register(WaitingMembership)
class WaitingMembershipAdmin(ReadOnlyAdmin):
    """Memberships of addresses that have not joined, from files of `setmembership`. Operators may delete them."""

    email_path = text_path = "email"
    list_display = ("email", "active", "until", "told_at")
    ordering = ("email",)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Allow it, for people who ask for the deletion of their address."""
        return admin.ModelAdmin.has_delete_permission(self, request, obj)


class NewMemberForm(AdminUserCreationForm):  # type: ignore[type-arg]  # as above
    """A new member, usually without a password."""

    usable_password = SetUnusablePasswordMixin.create_usable_password_field(
        "Without a password, sign-in is by e-mailed code."
    )

    class Meta:
        model = Member
        fields = ("email", "name", "time_zone")


class MemberChangeForm(UserChangeForm):  # type: ignore[type-arg]  # as above
    """An existing member."""

    class Meta:
        model = Member
        fields = (
            "email",
            "name",
            "time_zone",
            "desired_retention",
            "new_cards_a_day",
            "morning_email",
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
        return super().get_queryset(request).filter(keys.active())

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Return False: only the key page and the command can show a new key once."""
        return False


class _MembershipFilter(StateFilter):
    """Filter members by membership."""

    title = "membership"
    parameter_name = "membership"
    states: ClassVar[Conditions] = {
        "active": ("active", membership.active),
        "ending": (f"ending within {membership.SOON.days} days", membership.ending_soon),
        "lapsed": ("lapsed", membership.lapsed),
    }


def _is_guarded(request: HttpRequest, obj: Any) -> bool:
    return isinstance(obj, Member) and obj.is_staff and not request.user.is_superuser


@admin.register(Member)
class MemberAdmin(ServiceAdmin, UserAdmin):  # type: ignore[type-arg]  # as above
    """Members, with actions to renew and end memberships and to revoke keys."""

    email_path = "email"
    paginator: ClassVar[Any] = Paginator  # counts all: an operator must know how many there are, and see each
    search_help_text = (
        "The beginning of an e-mail address or its domain, an id, or a part of the name. All members are counted."
    )
    form = MemberChangeForm
    add_form = NewMemberForm
    list_display = ("email", "name", "membership", "membership_until", "is_staff", "created_at")
    list_filter = (_MembershipFilter, "is_staff", "is_active")
    ordering = ("email",)
    filter_horizontal = ()
    autocomplete_fields = ("groups",)
    readonly_fields = ("given_by", "created_at", "last_login", "logs", "id")
    inlines = (ActiveKeyInline,)
    actions = ("renew", "lapse", "revoke_keys", "end_sessions", "reset_second_factor")
    fieldsets = (
        (None, {"fields": ("email", "name", "password")}),
        ("Profile", {"fields": ("time_zone", "desired_retention", "new_cards_a_day", "morning_email")}),
        ("Membership", {"fields": ("membership_active", "membership_until", "given_by")}),
        ("Access", {"fields": _PRIVILEGES}),
        ("Dates", {"fields": ("created_at", "last_login", "logs", "id")}),
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
            for name, value in waiting.take(obj.email).items():
                setattr(obj, name, value)
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

    @admin.display(description="given by a claim of")
    def given_by(self, member: Member) -> str | None:
        """Return the identity provider whose claim gave the present membership."""
        return next((link.issuer for link in member.identities.all() if is_given(link, member)), None)

    @admin.display(description="logs")
    def logs(self, member: Member) -> str:
        """Return links to the member's log of changes and account events."""
        return format_html(
            '<a href="{0}?member__id__exact={2}">changes</a>, <a href="{1}?member__id__exact={2}">account events</a>',
            reverse("admin:studyservice_change_changelist"),
            reverse("admin:accounts_accountevent_changelist"),
            member.id,
        )

    @admin.display(boolean=True, description="membership")
    def membership(self, member: Member) -> bool:
        return member.membership_is_active()

    @admin.action(description="Renew the membership, open-ended", permissions=["change"])
    def renew(self, request: HttpRequest, queryset: QuerySet[Member]) -> None:
        """Activate without a last day. To set one, edit the member."""
        self._act(request, queryset, membership.renew, "Renewed", "Renewed the membership")

    @admin.action(description="End the membership", permissions=["change"])
    def lapse(self, request: HttpRequest, queryset: QuerySet[Member]) -> None:
        self._act(request, queryset, membership.lapse, "Ended", "Ended the membership")

    @admin.action(description="Revoke all API keys", permissions=["change"])
    def revoke_keys(self, request: HttpRequest, queryset: QuerySet[Member]) -> None:
        self._act(request, queryset, keys.revoke_all, "Revoked the API keys of", "Revoked the API keys")

    @admin.action(description="Sign out of every browser", permissions=["change"])
    def end_sessions(self, request: HttpRequest, queryset: QuerySet[Member]) -> None:
        """Sign out at once. API keys keep working."""
        self._act(request, queryset, sessions.end_sessions, "Ended the sessions of", "Ended the sessions")

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

    def _act(
        self, request: HttpRequest, queryset: QuerySet[Member], act: Callable[[Member], None], verb: str, logged: str
    ) -> None:
        """Act on the members whom the operator may change."""
        members = [member for member in queryset if self.has_change_permission(request, member)]
        self.act(request, members, act, noun="member", verb=verb, logged=logged)

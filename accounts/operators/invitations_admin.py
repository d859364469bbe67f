"""Invitations for the operators, who create and withdraw them."""

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from accounts.joining.inviting import invite, withdraw
from accounts.joining.models import Invitation
from accounts.members import outbox
from studyservice.admin.base import ServiceAdmin

if TYPE_CHECKING:
    _InvitationForm = forms.ModelForm[Invitation]
else:
    _InvitationForm = forms.ModelForm


class InvitationForm(_InvitationForm):
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
    list_display = ("email", "created_at", "expires_at")
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

"""Proof that the signed-in person owns the account: the password, or a code sent to the account's address.

Pages ask for it before a change that could lock the owner out. Without a password, only the code is accepted. It is
sent before anything else is asked.
"""

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from accounts.members.models import Member
from accounts.pages.account_forms import CodeForm, CurrentPasswordForm
from accounts.pages.attempts import attempts_are_counted, too_many_codes, try_password
from accounts.pages.signed_in import POST, for_members
from accounts.signing_in.codes import IDENTITY, OLD_ADDRESS, PASSWORD, Purpose, send_code, try_proof


@dataclass(frozen=True, slots=True)
class ProvenChange:
    """A change that needs proof.

    Attributes:
        page: the URL name of its page.
        code_page: the URL name of the view that sends a code for it.
        pending: the session entry with the code's id.
        purpose: for the e-mail.
    """

    page: str
    code_page: str
    pending: str
    purpose: Purpose


OF_PASSWORD = ProvenChange("password", "password-code", "password_code", PASSWORD)
OF_IDENTITY = ProvenChange("identity", "identity-proof", "identity_proof", IDENTITY)
OF_ADDRESS = ProvenChange("new-address", "new-address-proof", "address_proof", OLD_ADDRESS)


class Proof:
    """The proof in one request.

    Attributes:
        form: takes the password or the code; None while a code has to be sent first.
    """

    def __init__(self, request: HttpRequest, member: Member, change: ProvenChange) -> None:
        posted = request.POST if request.method == "POST" else None
        self.change, self.has_password = change, member.has_usable_password()
        self._request, self._member = request, member
        self.form: CurrentPasswordForm | CodeForm | None = None
        if change.pending in request.session:
            self.form = CodeForm(posted)
        elif self.has_password:
            self.form = CurrentPasswordForm(posted)

    @property
    def by_code(self) -> bool:
        """Return whether a code was sent and must be entered."""
        return isinstance(self.form, CodeForm)

    def answer(self, other: Form, change: Callable[[], HttpResponse]) -> HttpResponse | None:
        """Make the change if the proof and the page's other form are right. Return the response, or None to show both.

        Each reports what is missing, and a wrong proof becomes a form error. Too many attempts get a page of their own.
        """
        forms = [form for form in (self.form, other) if form is not None and form.is_bound]
        if self.form not in forms or not all(form.is_valid() for form in forms):
            return None
        if isinstance(self.form, CurrentPasswordForm):
            if refused := self._compare_password(self.form):
                return refused
        else:
            self._compare_code(self.form)
        return None if self.form.errors else change()

    def _compare_password(self, form: CurrentPasswordForm) -> HttpResponse | None:
        typed = form.cleaned_data["current_password"]
        right = try_password(self._request, self._member.email, lambda: self._member.check_password(typed))
        if isinstance(right, HttpResponse):
            return right
        if not right:
            form.add_error("current_password", "Wrong password. Try again, or get a code instead.")
        return None

    def _compare_code(self, form: CodeForm) -> None:
        session, pending = self._request.session, self.change.pending
        refusal = try_proof(self._member, UUID(session[pending]), form.cleaned_data["code"])
        if refusal is None or not form.refuse(refusal):
            del session[pending]


@for_members(POST)
@attempts_are_counted
def proof_code(request: HttpRequest, member: Member, change: ProvenChange) -> HttpResponse:
    """E-mail a code as proof for `change`. With `instead`, ask for the password again."""
    if request.POST.get("instead") == "password":
        request.session.pop(change.pending, None)
        return redirect(change.page)
    if refused := too_many_codes(request, member.email):
        return refused
    request.session[change.pending] = str(send_code(member.email, change.purpose))
    return redirect(change.page)

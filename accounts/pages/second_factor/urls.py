"""URLs of the second factor's pages."""

from django.urls import path

from accounts.pages.second_factor.asking import second_factor
from accounts.pages.second_factor.proving import second_factor_proof
from accounts.pages.second_factor.setting_up import (
    new_recovery_codes,
    remove_app,
    remove_passkey,
    set_up,
    set_up_app,
    set_up_passkey,
)

urlpatterns = [
    path("second-factor", second_factor, name="second-factor"),
    path("account/second-factor", set_up, name="second-factor-set-up"),
    path("account/second-factor/code", second_factor_proof, name="second-factor-proof"),
    path("account/second-factor/app", set_up_app, name="second-factor-app"),
    path("account/second-factor/app/remove", remove_app, name="remove-second-factor-app"),
    path("account/second-factor/passkey", set_up_passkey, name="second-factor-passkey"),
    path("account/second-factor/passkeys/<uuid:passkey_id>/remove", remove_passkey, name="remove-passkey"),
    path("account/second-factor/recovery-codes", new_recovery_codes, name="recovery-codes"),
]

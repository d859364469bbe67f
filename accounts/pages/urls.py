"""URLs of the members' pages."""

from django.urls import path

from accounts.pages.account import (
    account,
    end_one_session,
    new_address,
    new_address_code,
    password,
    set_time_zone,
    sign_out_everywhere,
)
from accounts.pages.activity import account_events, activity, undo_one, undo_today
from accounts.pages.archive import erase, export_archive, import_archive
from accounts.pages.join import join
from accounts.pages.keys import calendar_address, disconnect_app, end_calendar_address, keys, revoke_key
from accounts.pages.limits import limit_app, limit_key
from accounts.pages.proof import OF_ADDRESS, OF_PASSWORD, proof_code
from accounts.pages.second_factor.asking import second_factor, second_factor_proof
from accounts.pages.second_factor.setting_up import (
    new_recovery_codes,
    remove_app,
    remove_passkey,
    set_up,
    set_up_app,
    set_up_passkey,
)
from accounts.pages.sign_in import admin_sign_in, sign_in, sign_in_as_another, sign_in_code, sign_out

urlpatterns = [
    path("sign-in", sign_in, name="sign-in"),
    path("sign-in/code", sign_in_code, name="sign-in-code"),
    path("sign-in/another", sign_in_as_another, name="sign-in-as-another"),
    path("sign-out", sign_out, name="sign-out"),
    path("admin/login/", admin_sign_in, name="admin-sign-in"),
    path("second-factor", second_factor, name="second-factor"),
    path("account/second-factor", set_up, name="second-factor-set-up"),
    path("account/second-factor/code", second_factor_proof, name="second-factor-proof"),
    path("account/second-factor/app", set_up_app, name="second-factor-app"),
    path("account/second-factor/app/remove", remove_app, name="remove-second-factor-app"),
    path("account/second-factor/passkey", set_up_passkey, name="second-factor-passkey"),
    path("account/second-factor/passkeys/<uuid:passkey_id>/remove", remove_passkey, name="remove-passkey"),
    path("account/second-factor/recovery-codes", new_recovery_codes, name="recovery-codes"),
    path("join", join, name="join"),
    path("account", account, name="account"),
    path("account/time-zone", set_time_zone, name="set-time-zone"),
    path("account/email", new_address, name="new-address"),
    path("account/email/proof", proof_code, {"change": OF_ADDRESS}, name="new-address-proof"),
    path("account/email/code", new_address_code, name="new-address-code"),
    path("account/password", password, name="password"),
    path("account/password/code", proof_code, {"change": OF_PASSWORD}, name="password-code"),
    path("account/sessions/<slug:session_id>/end", end_one_session, name="end-session"),
    path("account/sign-out", sign_out_everywhere, name="sign-out-everywhere"),
    path("account/export", export_archive, name="export-archive"),
    path("account/import", import_archive, name="import-archive"),
    path("account/delete", erase, name="erase"),
    path("activity", activity, name="activity"),
    path("activity/account", account_events, name="account-events"),
    path("activity/<uuid:change_id>/undo", undo_one, name="undo-change"),
    path("activity/today/<str:kind>/<uuid:actor_id>", undo_today, name="undo-today"),
    path("keys", keys, name="keys"),
    path("keys/<uuid:key_id>/revoke", revoke_key, name="revoke-key"),
    path("keys/<uuid:key_id>/limits", limit_key, name="limit-key"),
    path("keys/calendar", calendar_address, name="calendar-address"),
    path("keys/calendar/end", end_calendar_address, name="end-calendar-address"),
    path("keys/apps/<uuid:app_id>/limits", limit_app, name="limit-app"),
    path("keys/apps/<uuid:app_id>/disconnect", disconnect_app, name="disconnect-app"),
]

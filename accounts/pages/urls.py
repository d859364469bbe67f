"""URLs of the members' pages."""

from django.urls import path

from accounts.pages import account, activity, archive, keys, limits, morning_email, proof, provider, sign_in
from accounts.pages.second_factor import asking, setting_up

urlpatterns = [
    path("sign-in", sign_in.sign_in, name="sign-in"),
    path("sign-in/code", sign_in.sign_in_code, name="sign-in-code"),
    path("sign-in/oidc", provider.begin, name="provider"),
    path("sign-in/oidc/callback", provider.finish, name="provider-return"),
    path("sign-in/another", sign_in.sign_in_as_another, name="sign-in-as-another"),
    path("sign-out", sign_in.sign_out, name="sign-out"),
    path("admin/login/", sign_in.admin_sign_in, name="admin-sign-in"),
    path("second-factor", asking.second_factor, name="second-factor"),
    path("account/second-factor", setting_up.set_up, name="second-factor-set-up"),
    path("account/second-factor/code", asking.second_factor_proof, name="second-factor-proof"),
    path("account/second-factor/app", setting_up.set_up_app, name="second-factor-app"),
    path("account/second-factor/app/remove", setting_up.remove_app, name="remove-second-factor-app"),
    path("account/second-factor/passkey", setting_up.set_up_passkey, name="second-factor-passkey"),
    path("account/second-factor/passkeys/<uuid:passkey_id>/remove", setting_up.remove_passkey, name="remove-passkey"),
    path("account/second-factor/recovery-codes", setting_up.new_recovery_codes, name="recovery-codes"),
    path("join", sign_in.join, name="join"),
    path("account", account.account, name="account"),
    path("account/time-zone", account.set_time_zone, name="set-time-zone"),
    path("account/email", account.new_address, name="new-address"),
    path("account/email/proof", proof.proof_code, {"change": proof.OF_ADDRESS}, name="new-address-proof"),
    path("account/email/code", account.new_address_code, name="new-address-code"),
    path("account/password", account.password, name="password"),
    path("account/password/code", proof.proof_code, {"change": proof.OF_PASSWORD}, name="password-code"),
    path("account/sessions/<slug:session_id>/end", account.end_one_session, name="end-session"),
    path("account/sign-out", account.sign_out_everywhere, name="sign-out-everywhere"),
    path("account/export", archive.export_archive, name="export-archive"),
    path("account/import", archive.import_archive, name="import-archive"),
    path("account/delete", archive.erase, name="erase"),
    path("morning-email/<str:token>", morning_email.morning_email_off, name="morning-email-off"),
    path("activity", activity.activity, name="activity"),
    path("activity/account", activity.account_events, name="account-events"),
    path("activity/<uuid:change_id>/undo", activity.undo_one, name="undo-change"),
    path("activity/today/<str:kind>/<uuid:actor_id>", activity.undo_today, name="undo-today"),
    path("keys", keys.keys, name="keys"),
    path("keys/<uuid:key_id>/revoke", keys.revoke_key, name="revoke-key"),
    path("keys/<uuid:key_id>/limits", limits.limit_key, name="limit-key"),
    path("keys/calendar", keys.calendar_address, name="calendar-address"),
    path("keys/calendar/end", keys.end_calendar_address, name="end-calendar-address"),
    path("keys/apps/<uuid:app_id>/limits", limits.limit_app, name="limit-app"),
    path("keys/apps/<uuid:app_id>/disconnect", keys.disconnect_app, name="disconnect-app"),
]

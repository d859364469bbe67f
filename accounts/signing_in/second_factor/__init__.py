"""The operators' second factor: an authenticator app or passkeys, with recovery codes for when both are lost."""

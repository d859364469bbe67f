"""Signing in with an identity provider (OpenID Connect Core 1.0), by the code flow."""

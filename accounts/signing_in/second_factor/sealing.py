"""Encrypt the secrets of authenticator apps."""

from accounts.signing_in.second_factor.models import AuthenticatorApp
from studyservice.secrets.sealing import Seal, Sealed

_SEAL = Seal("accounts.second_factor.sealing")

seal = _SEAL.seal
unseal = _SEAL.unseal

SECOND_FACTORS = Sealed(_SEAL, AuthenticatorApp, "sealed_secret")

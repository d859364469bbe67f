"""Encrypt the secrets of authenticator apps."""

from studyservice.secrets.sealing import Seal

_SEAL = Seal("accounts.second_factor.sealing")

seal = _SEAL.seal
unseal = _SEAL.unseal

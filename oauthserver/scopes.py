"""The scopes of tokens: always `read`, and `write` if it was requested and allowed (spec, Scopes)."""

from studyservice.operations.declaration import Scope


def scopes_from(text: str | None) -> frozenset[Scope]:
    """Return the requested scopes in `text`. `read` is always included, and unknown ones are dropped."""
    asked = set((text or "").split())
    return frozenset({Scope.READ, *(scope for scope in Scope if scope in asked)})


def written(scopes: frozenset[Scope]) -> str:
    """Return scopes in OAuth's format (RFC 6749 section 3.3)."""
    return " ".join(sorted(scopes))

"""The session of a request, and whose request it is."""

import hashlib
import os
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime
from typing import Annotated
from zoneinfo import ZoneInfo

from fastapi import Depends, HTTPException, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from sqlalchemy import make_url, select
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker, create_async_engine
from sqlalchemy.orm import joinedload

from bench.fastapi_sqlalchemy.models import ApiKey, Member


def _database() -> str:
    """DATABASE_URL for asyncpg, which takes the directory of a socket as an argument of its own."""
    return make_url(os.environ["DATABASE_URL"]).set(drivername="postgresql+asyncpg").render_as_string(False)


_sessions = async_sessionmaker(create_async_engine(_database()), expire_on_commit=False)


async def _session() -> AsyncIterator[AsyncSession]:
    async with _sessions() as session:
        yield session


Session = Annotated[AsyncSession, Depends(_session)]


def today_of(member: Member) -> date:
    """The member's day."""
    return datetime.now(ZoneInfo(member.time_zone)).date()


async def _caller(
    request: Request, session: Session, shown: Annotated[HTTPAuthorizationCredentials, Depends(HTTPBearer())]
) -> Member:
    """The member, who may do this."""
    digest = hashlib.sha256(shown.credentials.encode()).hexdigest()
    found = select(ApiKey).where(ApiKey.secret_hash == digest, ApiKey.revoked_at.is_(None))
    key = await session.scalar(found.options(joinedload(ApiKey.member)))
    if key is None or not key.member.is_active or (key.expires_at and key.expires_at <= datetime.now(UTC)):
        raise HTTPException(401, "Invalid key.")
    member = key.member
    lapsed = member.membership_until is not None and member.membership_until < today_of(member)
    if not member.membership_active or lapsed or (request.method != "GET" and not key.may_write):
        raise HTTPException(403, "Not allowed.")
    return member


Caller = Annotated[Member, Depends(_caller)]

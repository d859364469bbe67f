"""FastAPI with SQLAlchemy's asyncio extension and asyncpg: two operations, as their documentation shows them."""

import hashlib
import os
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime
from typing import Annotated, Literal
from uuid import UUID, uuid4
from zoneinfo import ZoneInfo

from fastapi import Depends, FastAPI, HTTPException, Query, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import DateTime, ForeignKey, func, make_url, select
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, joinedload, mapped_column, relationship

# DATABASE_URL for asyncpg, which needs the directory of a socket as a separate argument.
_database = make_url(os.environ["DATABASE_URL"]).set(drivername="postgresql+asyncpg").render_as_string(False)
_sessions = async_sessionmaker(create_async_engine(_database), expire_on_commit=False)

application = FastAPI()


class _Base(DeclarativeBase):
    type_annotation_map = {datetime: DateTime(timezone=True)}  # noqa: RUF012  # as SQLAlchemy declares it

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)


class Member(_Base):
    """A member."""

    __tablename__ = "accounts_member"

    time_zone: Mapped[str]
    is_active: Mapped[bool]
    membership_active: Mapped[bool]
    membership_until: Mapped[date | None]

    def today(self) -> date:
        """Return the date in the member's time zone."""
        return datetime.now(ZoneInfo(self.time_zone)).date()


class ApiKey(_Base):
    """An API key."""

    __tablename__ = "accounts_apikey"

    member_id: Mapped[UUID] = mapped_column(ForeignKey(Member.id))
    secret_hash: Mapped[str]
    may_write: Mapped[bool]
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    member: Mapped[Member] = relationship()


class Course(_Base):
    """A course."""

    __tablename__ = "courses_course"

    member_id: Mapped[UUID] = mapped_column(ForeignKey(Member.id))
    name: Mapped[str]


class Item(_Base):
    """An item."""

    __tablename__ = "courses_item"

    member_id: Mapped[UUID] = mapped_column(ForeignKey(Member.id))
    course_id: Mapped[UUID] = mapped_column(ForeignKey(Course.id))
    title: Mapped[str]
    kind: Mapped[str]
    due_on: Mapped[date | None]
    category_id: Mapped[UUID | None]
    note: Mapped[str | None]
    done: Mapped[bool] = mapped_column(default=False)
    done_at: Mapped[datetime | None]
    graded: Mapped[bool] = mapped_column(default=False)
    missable_from: Mapped[date]
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]
    course: Mapped[Course] = relationship()

    def status(self, today: date) -> str:
        """The status on a day."""
        if self.graded or self.done:
            return "graded" if self.graded else "done"
        if self.due_on is None or self.due_on >= today:
            return "open"
        return "past" if self.kind in {"exam", "quiz"} or self.due_on < self.missable_from else "missed"


class NewItem(BaseModel):
    """The body of a new item."""

    model_config = ConfigDict(str_strip_whitespace=True)

    title: str = Field(min_length=1, max_length=160)
    kind: Literal["exam", "quiz", "assignment", "lab", "paper", "project", "other"] = "other"
    due_on: date | None = None


class ItemAnswer(BaseModel):
    """An item."""

    id: UUID
    course_id: UUID
    course_name: str
    title: str
    kind: str
    due_on: date | None
    days_until: int | None
    category_id: UUID | None
    note: str | None
    done: bool
    done_at: datetime | None
    status: str
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, item: Item, today: date) -> "ItemAnswer":
        """Return the item on a day."""
        return cls(
            id=item.id,
            course_id=item.course_id,
            course_name=item.course.name,
            title=item.title,
            kind=item.kind,
            due_on=item.due_on,
            days_until=None if item.due_on is None else (item.due_on - today).days,
            category_id=item.category_id,
            note=item.note,
            done=item.done,
            done_at=item.done_at,
            status=item.status(today),
            created_at=item.created_at,
            updated_at=item.updated_at,
        )


class ItemPage(BaseModel):
    """A page of items, and the offset of the next one."""

    data: list[ItemAnswer]
    next_offset: int | None


async def _session() -> AsyncIterator[AsyncSession]:
    async with _sessions() as session:
        yield session


Session = Annotated[AsyncSession, Depends(_session)]


async def _caller(
    request: Request, session: Session, shown: Annotated[HTTPAuthorizationCredentials, Depends(HTTPBearer())]
) -> Member:
    digest = hashlib.sha256(shown.credentials.encode()).hexdigest()
    found = select(ApiKey).where(ApiKey.secret_hash == digest, ApiKey.revoked_at.is_(None))
    key = await session.scalar(found.options(joinedload(ApiKey.member)))
    if key is None or not key.member.is_active or (key.expires_at and key.expires_at <= datetime.now(UTC)):
        raise HTTPException(401, "Invalid key.")
    member = key.member
    lapsed = member.membership_until is not None and member.membership_until < member.today()
    if not member.membership_active or lapsed or (request.method != "GET" and not key.may_write):
        raise HTTPException(403, "Not allowed.")
    return member


Caller = Annotated[Member, Depends(_caller)]


@application.get("/v1/items")
async def list_items(
    caller: Caller,
    session: Session,
    limit: Annotated[int, Query(ge=1, le=100)] = 25,
    offset: Annotated[int, Query(ge=0)] = 0,
) -> ItemPage:
    """Return the member's items, soonest first."""
    mine = select(Item).where(Item.member_id == caller.id).options(joinedload(Item.course))
    ordered = mine.order_by(Item.due_on.asc().nulls_last(), Item.created_at, Item.id)
    found = (await session.scalars(ordered.offset(offset).limit(limit + 1))).all()
    today, more = caller.today(), len(found) > limit
    page = [ItemAnswer.of(item, today) for item in found[:limit]]
    return ItemPage(data=page, next_offset=offset + limit if more else None)


@application.post("/v1/courses/{course_id}/items", status_code=201)
async def create_item(course_id: UUID, body: NewItem, caller: Caller, session: Session) -> ItemAnswer:
    """Create an item in a course of the member. The lock keeps the limit exact."""
    await session.execute(select(Member.id).where(Member.id == caller.id).with_for_update())
    course = await session.scalar(select(Course).where(Course.member_id == caller.id, Course.id == course_id))
    if course is None:
        raise HTTPException(404, "No such course.")
    if (await session.scalar(select(func.count()).where(Item.course_id == course.id)) or 0) >= 1000:
        raise HTTPException(409, "Too many items.")
    now = datetime.now(UTC)
    today = caller.today()
    written = {"missable_from": today, "created_at": now, "updated_at": now}
    item = Item(member_id=caller.id, course=course, **body.model_dump(), **written)
    session.add(item)
    await session.commit()
    return ItemAnswer.of(item, today)

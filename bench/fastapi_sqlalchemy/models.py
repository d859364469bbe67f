"""The tables that two operations need."""

from datetime import date, datetime
from uuid import UUID, uuid4

from sqlalchemy import DateTime, ForeignKey
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship


class Base(DeclarativeBase):
    """The models."""

    type_annotation_map = {datetime: DateTime(timezone=True)}  # noqa: RUF012  # as SQLAlchemy declares it


class Member(Base):
    """Who asks."""

    __tablename__ = "accounts_member"

    id: Mapped[UUID] = mapped_column(primary_key=True)
    time_zone: Mapped[str]
    is_active: Mapped[bool]
    membership_active: Mapped[bool]
    membership_until: Mapped[date | None]


class ApiKey(Base):
    """What the caller shows."""

    __tablename__ = "accounts_apikey"

    id: Mapped[UUID] = mapped_column(primary_key=True)
    member_id: Mapped[UUID] = mapped_column(ForeignKey(Member.id))
    secret_hash: Mapped[str]
    may_write: Mapped[bool]
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    member: Mapped[Member] = relationship()


class Course(Base):
    """A course."""

    __tablename__ = "courses_course"

    id: Mapped[UUID] = mapped_column(primary_key=True)
    member_id: Mapped[UUID] = mapped_column(ForeignKey(Member.id))
    name: Mapped[str]


class Item(Base):
    """A dated item."""

    __tablename__ = "courses_item"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    member_id: Mapped[UUID] = mapped_column(ForeignKey(Member.id))
    course_id: Mapped[UUID] = mapped_column(ForeignKey(Course.id))
    title: Mapped[str]
    kind: Mapped[str]
    due_on: Mapped[date | None]
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]
    course: Mapped[Course] = relationship()

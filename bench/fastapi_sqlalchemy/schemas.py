"""Bodies and answers."""

from datetime import date, datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from bench.fastapi_sqlalchemy.models import Item


class NewItem(BaseModel):
    """What an item is made from."""

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
    created_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, item: Item, today: date) -> "ItemAnswer":
        """The item as it is on a day."""
        return cls(
            id=item.id,
            course_id=item.course_id,
            course_name=item.course.name,
            title=item.title,
            kind=item.kind,
            due_on=item.due_on,
            days_until=None if item.due_on is None else (item.due_on - today).days,
            created_at=item.created_at,
            updated_at=item.updated_at,
        )


class ItemPage(BaseModel):
    """A page of items, and the offset of the next."""

    data: list[ItemAnswer]
    next_offset: int | None

"""The application: two operations."""

from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

from fastapi import FastAPI, HTTPException, Query
from sqlalchemy import func, select
from sqlalchemy.orm import joinedload

from bench.fastapi_sqlalchemy.callers import Caller, Session, today_of
from bench.fastapi_sqlalchemy.models import Course, Item, Member
from bench.fastapi_sqlalchemy.schemas import ItemAnswer, ItemPage, NewItem

application = FastAPI()


@application.get("/v1/items")
async def list_items(
    caller: Caller,
    session: Session,
    limit: Annotated[int, Query(ge=1, le=100)] = 25,
    offset: Annotated[int, Query(ge=0)] = 0,
) -> ItemPage:
    """The member's items, soonest first."""
    mine = select(Item).where(Item.member_id == caller.id).options(joinedload(Item.course))
    ordered = mine.order_by(Item.due_on.asc().nulls_last(), Item.created_at, Item.id)
    found = (await session.scalars(ordered.offset(offset).limit(limit + 1))).all()
    today = today_of(caller)
    return ItemPage(
        data=[ItemAnswer.of(item, today) for item in found[:limit]],
        next_offset=offset + limit if len(found) > limit else None,
    )


@application.post("/v1/courses/{course_id}/items", status_code=201)
async def create_item(course_id: UUID, body: NewItem, caller: Caller, session: Session) -> ItemAnswer:
    """A new item in a course of the member's, up to its limit, also when two arrive at once."""
    await session.execute(select(Member.id).where(Member.id == caller.id).with_for_update())
    course = await session.scalar(select(Course).where(Course.member_id == caller.id, Course.id == course_id))
    if course is None:
        raise HTTPException(404, "No such course.")
    if (await session.scalar(select(func.count()).where(Item.course_id == course.id)) or 0) >= 1000:
        raise HTTPException(409, "Too many items.")
    now = datetime.now(UTC)
    item = Item(member_id=caller.id, course=course, **body.model_dump(), created_at=now, updated_at=now)
    session.add(item)
    await session.commit()
    return ItemAnswer.of(item, today_of(caller))

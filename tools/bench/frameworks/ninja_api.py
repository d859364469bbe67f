"""django-ninja on the service's models: two operations."""

import hashlib
from datetime import date, datetime
from typing import Literal
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import path
from django.utils import timezone
from ninja import Field, NinjaAPI, Query, Schema
from ninja.errors import HttpError
from ninja.security import HttpBearer

from accounts.models import ApiKey, Member
from courses.item_rows import status_of
from courses.models import Course, Item


class KeyRequest(HttpRequest):
    """Type of an authenticated request; never instantiated."""

    auth: Member


class KeyAuth(HttpBearer):
    """`Authorization: Bearer <key>`, found by its hash."""

    def authenticate(self, request: HttpRequest, token: str) -> Member | None:
        """Return the member if the key may do this."""
        digest = hashlib.sha256(token.encode()).hexdigest()
        key = ApiKey.objects.select_related("member").filter(secret_hash=digest, revoked_at=None).first()
        if key is None or not key.member.is_active or (key.expires_at and key.expires_at <= timezone.now()):
            return None
        if not key.member.membership_is_active() or not (request.method == "GET" or key.may_write):
            raise HttpError(403, "Not allowed.")
        return key.member


class NewItem(Schema):
    """The body of a new item."""

    title: str = Field(min_length=1, max_length=160)
    kind: Literal["exam", "quiz", "assignment", "lab", "paper", "project", "other"] = "other"
    due_on: date | None = None


class Place(Schema):
    """Parameters of a page."""

    limit: int = Field(25, ge=1, le=100)
    offset: int = Field(0, ge=0)


class ItemAnswer(Schema):
    """An item."""

    id: UUID
    course_id: UUID
    course_name: str = Field(alias="course.name")
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

    @staticmethod
    def resolve_status(item: Item, context: dict[str, KeyRequest]) -> str:
        """Return the status on the member's date."""
        today = context["request"].auth.today()
        return status_of(item.kind, item.due_on, item.done, item.graded, item.missable_from, today)

    @staticmethod
    def resolve_days_until(item: Item, context: dict[str, KeyRequest]) -> int | None:
        """Return the days from the member's date."""
        return None if item.due_on is None else (item.due_on - context["request"].auth.today()).days


class ItemPage(Schema):
    """A page of items, and the offset of the next one."""

    data: list[ItemAnswer]
    next_offset: int | None


_api = NinjaAPI(auth=KeyAuth(), docs_url=None, openapi_url=None)


@_api.get("/items", response=ItemPage)
def list_items(request: KeyRequest, place: Query[Place]) -> dict[str, object]:
    """Return the member's items, soonest first."""
    order = F("due_on").asc(nulls_last=True)
    items = Item.objects.filter(member=request.auth).select_related("course").order_by(order, "created_at", "id")
    found = list(items[place.offset : place.offset + place.limit + 1])
    more = len(found) > place.limit
    return {"data": found[: place.limit], "next_offset": place.offset + place.limit if more else None}


@_api.post("/courses/{uuid:course_id}/items", response={201: ItemAnswer})
def create_item(request: KeyRequest, course_id: UUID, body: NewItem) -> tuple[int, Item]:
    """Create an item in a course of the member. The lock keeps the limit exact."""
    with transaction.atomic():
        member = Member.objects.select_for_update().get(pk=request.auth.pk)
        course = get_object_or_404(Course.objects.filter(member=member), pk=course_id)
        if course.items.count() >= 1000:
            raise HttpError(409, "Too many items.")
        return 201, Item.objects.create(member=member, course=course, **body.dict())


urlpatterns = [path("v1/", _api.urls)]  # after the operations

"""The activity page: changes by day and actor, with undo, and events of the account."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from uuid import UUID
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import is_valid_path, reverse
from django.utils import timezone

from accounts.credentials.connections import CONNECTED_APPS
from accounts.events import AccountEvent, event_in_words, list_events
from accounts.members.models import Member
from accounts.pages.sign_in import target_after
from accounts.pages.signed_in import FORM, READ, for_active_members, for_members
from studyservice.changes.contents import ChangeRow
from studyservice.changes.words import actor_in_words, change_in_words
from studyservice.models import ActorKind
from studyservice.operations.errors import Conflict, InvalidRequest, NotFound
from studyservice.operations.fields import parse_uuid
from studyservice.rows.access import Access
from studyservice.undo.log import list_changes
from studyservice.undo.seen import told_why_not
from studyservice.undo.undo import undo_change, undo_changes

EVENTS_PER_PAGE = 50
"""Events on one page."""

NEWEST = 5
"""Number of events above the changes."""


def _with_words(events: Sequence[AccountEvent]) -> list[tuple[AccountEvent, str]]:
    return [(event, event_in_words(event)) for event in events]


@for_members(READ)
def account_events(request: HttpRequest, member: Member) -> HttpResponse:
    """List the events, newest first. `before` is the last event of the previous page."""
    told = request.GET.get("before")
    before = None if told is None else parse_uuid(told)
    if told is not None and before is None:
        raise Http404
    events = list_events(member, limit=EVENTS_PER_PAGE + 1, before=before)
    context = {
        "shown": _with_words(events[:EVENTS_PER_PAGE]),
        "older": events[EVENTS_PER_PAGE - 1].id if len(events) > EVENTS_PER_PAGE else None,
        "time_zone": member.time_zone,
    }
    return render(request, "accounts/account_events.html", context)


PER_PAGE = 50
"""Changes on one page."""

MOST_AT_ONCE = 500
"""Number of changes that one click undoes. Another click undoes the next ones."""

_READ = 100


@dataclass(frozen=True, slots=True)
class Shown:
    """A change as the page shows it.

    Attributes:
        words: description of the change.
        why_not: why it cannot be undone; empty if it can.
    """

    change: ChangeRow
    words: str
    why_not: str


@dataclass(frozen=True, slots=True)
class ActorChanges:
    """The changes of one actor on one day, newest first.

    Attributes:
        undos: changes that the actor undid, listed separately, because the undone changes are listed too.
        is_today: whether they were made today, by an app or a key.
        is_named: whether an app's name is its own, not the host of its callback.
    """

    actor: str
    kind: str
    actor_id: UUID | None
    is_today: bool
    is_named: bool = True
    shown: list[Shown] = field(default_factory=list)
    undos: list[Shown] = field(default_factory=list)

    @property
    def at_once(self) -> bool:
        """Return whether the remaining changes can be undone at once."""
        return self.is_today and any(not one.why_not for one in self.shown)

    @property
    def moments(self) -> tuple[datetime, datetime]:
        """Return the times of the first and the last change, which distinguish two connections of one name."""
        times = [one.change["created_at"] for one in (*self.shown, *self.undos)]
        return min(times), max(times)


@for_members(READ)
def activity(request: HttpRequest, member: Member) -> HttpResponse:
    """List the changes, newest first, below the newest events of the account."""
    try:
        page = list_changes(Access(member), limit=PER_PAGE, cursor=request.GET.get("cursor"))
    except InvalidRequest as error:
        raise Http404 from error
    zone = ZoneInfo(member.time_zone)
    today = member.today()
    apps = {by["id"] for one in page["data"] if (by := one["by"]) and by["kind"] == ActorKind.APP and by["id"]}
    unnamed = CONNECTED_APPS.get().unnamed(apps)
    days = [
        (day, _groups(list(changes), unnamed, is_today=day == today))
        for day, changes in groupby(page["data"], lambda change: change["created_at"].astimezone(zone).date())
    ]
    shown = [] if "cursor" in request.GET else _with_words(list_events(member, limit=NEWEST))
    context = {
        "shown": shown,
        "days": days,
        "today": today,
        "next_cursor": page["next_cursor"],
        "time_zone": member.time_zone,
    }
    return render(request, "accounts/activity.html", context)


def _groups(changes: list[ChangeRow], unnamed: set[UUID], *, is_today: bool) -> list[ActorChanges]:
    """Group the changes by actor, the most recently active first."""
    now = timezone.now()
    groups: dict[tuple[str, UUID | None], ActorChanges] = {}
    for change in changes:
        by = change["by"]
        kind, actor_id = ("", None) if by is None else (by["kind"], by["id"])
        if (kind, actor_id) not in groups:
            at_once = is_today and _can_be_undone_at_once(kind)
            groups[kind, actor_id] = ActorChanges(actor_in_words(by), kind, actor_id, at_once, actor_id not in unnamed)
        group = groups[kind, actor_id]
        (group.undos if change["operation"] == "undo_change" else group.shown).append(_shown(change, now))
    return list(groups.values())


def _can_be_undone_at_once(kind: str) -> bool:
    return kind in {ActorKind.APP, ActorKind.KEY}


def _shown(change: ChangeRow, now: datetime) -> Shown:
    return Shown(change, change_in_words(change), told_why_not(change, now))


@for_active_members(FORM)
def undo_one(request: HttpRequest, member: Member, change_id: UUID) -> HttpResponse:
    """Undo a change with those in `also`, all or none, and show the page in `next` again, by default the list.

    GET, as after signing in again, leads to the list.
    """
    if request.method != "POST":
        return redirect("activity")
    also = [parse_uuid(told) for told in request.POST.get("also", "").split()]
    if len(also) >= MOST_AT_ONCE or None in also:
        raise Http404
    undone: list[ChangeRow] = []
    tags = "above" if "next" in request.POST else ""
    try:
        undone = undo_changes(Access(member), [change_id, *filter(None, also)])
    except Conflict as error:
        messages.warning(request, f"Nothing was undone. {error.message}", extra_tags=tags)
    else:
        messages.success(request, f"Undone: {' '.join(_in_words(change) for change in undone)}", extra_tags=tags)
    return HttpResponseRedirect(_where(request, undone))


def _in_words(change: ChangeRow) -> str:
    return f"{actor_in_words(change['by'])} {change_in_words(change)}."


def _where(request: HttpRequest, undone: list[ChangeRow]) -> str:
    """The page to show after an undo: the list above a page whose object the undo has deleted."""
    target = target_after(request, "activity")
    for change in undone:
        above, found, _ = target.partition(f"/{change['object']['id']}")
        if found and change["before"] is None:
            return above if is_valid_path(above) else reverse("home")
    return target


@for_active_members(FORM)
def undo_today(request: HttpRequest, member: Member, kind: str, actor_id: UUID) -> HttpResponse:
    """Ask on GET. On POST undo today's changes by an app or a key, newest first, and list those that remain."""
    if not _can_be_undone_at_once(kind):
        raise Http404
    access = Access(member)
    done = _of_today(access, kind, actor_id)
    if not done:
        messages.success(request, "Nothing left to undo today.")
        return redirect("activity")
    now = timezone.now()
    shown = [_shown(change, now) for change in done]
    actor = actor_in_words(done[0]["by"])
    if request.method != "POST":
        context = {"actor": actor, "open": [one for one in shown if not one.why_not]}
        return render(request, "accounts/undo_today.html", context)
    undone, stays = 0, []
    for one in shown:
        try:
            undo_change(access, one.change["id"])
            undone += 1
        except (Conflict, NotFound) as error:
            stays.append((one.words, error.message))
    return render(request, "accounts/undone_today.html", {"actor": actor, "undone": undone, "stays": stays})


def _of_today(access: Access, kind: str, actor_id: UUID) -> list[ChangeRow]:
    """Return the actor's changes since the member's midnight, newest first, at most `MOST_AT_ONCE` not yet undone."""
    zone, today = ZoneInfo(access.member.time_zone), access.today()
    found: list[ChangeRow] = []
    cursor: str | None = None
    while len(found) < MOST_AT_ONCE:
        page = list_changes(access, limit=_READ, cursor=cursor)
        for change in page["data"]:
            if change["created_at"].astimezone(zone).date() != today:
                return found
            by = change["by"]
            if by is not None and (by["kind"], by["id"]) == (kind, actor_id) and change["undone_at"] is None:
                found.append(change)
        cursor = page["next_cursor"]
        if cursor is None:
            break
    return found[:MOST_AT_ONCE]

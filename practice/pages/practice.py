"""The practice page: days of practice, and topics that need work."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from accounts.models import Member
from accounts.pages.signed_in import READ, for_active_members
from practice.stats import get_practice_stats
from studyservice.charts import columns
from studyservice.rows.access import Access

DAYS = 30
"""Number of days on the page, including today."""


@for_active_members(READ)
def practice(request: HttpRequest, member: Member) -> HttpResponse:
    """Show the last days of practice."""
    stats = get_practice_stats(Access(member), days=DAYS)
    days = stats["by_day"]
    context = {
        "stats": stats,
        "chart": columns([(day["correct"], day["attempts"] - day["correct"]) for day in days]),
        "practiced": [day for day in reversed(days) if day["attempts"]],
        "since": days[0]["date"],
    }
    return render(request, "practice/practice.html", context)

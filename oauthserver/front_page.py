"""The panel of refused app calls on the operators' front page."""

from django.urls import reverse

from accounts.credentials.connections import Refusal
from oauthserver.admin_lists import a_day_ago
from oauthserver.models import Grant
from studyservice.admin.front_page import MOST_ROWS, Answer, Row


def _rows() -> list[Row]:
    grants = Grant.objects.filter(refused_at__gte=a_day_ago()).order_by("-refused_at")
    newest = grants.values_list("application_id", "application__name", "refusal", "refused_at")[:MOST_ROWS]
    return [
        Row(f"{name}: {Refusal(refusal).label}", reverse("admin:oauthserver_application_change", args=[key]), at)
        for key, name, refusal, at in newest
    ]


REFUSED = Answer(
    "What was refused in the last day?",
    _rows,
    "No call of a connected app.",
    permission="oauthserver.view_application",
    url=lambda: f"{reverse('admin:oauthserver_application_changelist')}?refused=day",
)

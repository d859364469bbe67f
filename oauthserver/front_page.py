"""The panel of refused calls of apps and keys on the operators' front page."""

from operator import attrgetter

from django.urls import reverse

from accounts.credentials.connections import Refusal
from accounts.credentials.models import ApiKey
from accounts.operators.site import MOST_ROWS, Answer, Row
from oauthserver.admin_lists import a_day_ago
from oauthserver.models import Grant


def _rows() -> list[Row]:
    """Return the newest refusals of both, in two queries."""
    return sorted([*_of_apps(), *_of_keys()], key=attrgetter("at"), reverse=True)[:MOST_ROWS]


def _of_apps() -> list[Row]:
    grants = Grant.objects.filter(refused_at__gte=a_day_ago()).order_by("-refused_at")
    newest = grants.values_list("application_id", "application__name", "refusal", "refused_at")[:MOST_ROWS]
    return [
        Row(f"{name}: {Refusal(refusal).label}", reverse("admin:oauthserver_application_change", args=[key]), at)
        for key, name, refusal, at in newest
    ]


def _of_keys() -> list[Row]:
    newest = ApiKey.objects.filter(refused_at__gte=a_day_ago()).order_by("-refused_at")
    return [
        Row(f"{key}: {key.refused_in_words()}", reverse("admin:accounts_apikey_change", args=[key.pk]), key.refused_at)
        for key in newest.only("name", "hint", "refused_at", "refusal")[:MOST_ROWS]
    ]


REFUSED = Answer(
    "What was refused in the last day?",
    _rows,
    "No call of an app or a key.",
    permission="oauthserver.view_application",
    url=lambda: f"{reverse('admin:oauthserver_application_changelist')}?refused=day",
)

"""Sortable columns of the admin's lists, and the fields of its pages for new objects."""

import re
from typing import Any

import pytest
from django.contrib import admin as django_admin
from django.contrib.admin.utils import flatten_fieldsets
from django.test import Client
from django.urls import reverse

from tests.support.cases import each
from tests.support.factories import MemberFactory, stored

pytestmark = [pytest.mark.django_db, pytest.mark.same_statements]

SORTABLE = {
    "accounts.Invitation": {"email", "expires_at"},
    "accounts.Member": {"email"},
    "accounts.WaitingMembership": {"email", "told_at"},
    "oauthserver.Application": {"client_id", "created"},
    "oauthserver.BlockedApp": {"client_id"},
    "oauthserver.ConnectedMember": {"email"},
    "oauthserver.RefreshToken": {"expires"},
}
"""Columns that lead an index. Other lists are sorted by an index that begins with the member."""

OURS = {model._meta.label: model for model in django_admin.site._registry if model._meta.app_label != "auth"}


def page_of(model: Any, kind: str) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{kind}")


@pytest.mark.database("both")
@each("label", OURS)
def test_lists_can_be_sorted_by_indexed_columns_only(admin: Client, label: str) -> None:
    response: Any = admin.get(page_of(OURS[label], "changelist"))
    assert set(response.context["cl"].sortable_by) == SORTABLE.get(label, set())


@each(("label", "column"), [(label, name) for label, names in SORTABLE.items() for name in sorted(names)])
@pytest.mark.database("sqlite")  # PostgreSQL reads all of a table with a few rows, whatever its indexes
def test_sorting_uses_the_index(admin: Client, label: str, column: str) -> None:
    """With many equal values, SQLite sorts the rows of each value but never all rows.

    Reads and sorts for each displayed row are nested deeper in the query plan, below a step other than 0.
    """
    address = page_of(OURS[label], "changelist")
    first: Any = admin.get(address)
    place = first.context["cl"].list_display.index(column)
    for order in (f"{place}", f"-{place}"):
        sorted_: Any = admin.get(address, {"o": order})
        plan = sorted_.context["cl"].queryset.explain()
        assert not re.search(r"^\d+ 0 \d+ USE TEMP B-TREE FOR ORDER BY", plan, re.MULTILINE), plan


@pytest.mark.database("both")
def test_clicking_a_column_reverses_the_order(admin: Client) -> None:
    stored(MemberFactory, 3)
    up: Any = admin.get("/admin/accounts/member/?o=1")
    down: Any = admin.get("/admin/accounts/member/?o=-1")
    emails = [member.email for member in up.context["cl"].result_list]
    assert emails == sorted(emails)
    assert [member.email for member in down.context["cl"].result_list] == emails[::-1]


ADDED = ["accounts.Invitation", "accounts.Member", "courses.Course", "courses.Item", "oauthserver.BlockedApp"]
"""Models that operators create. Members create the others over the API."""


def test_every_addable_model_is_known(admin: Client) -> None:
    assert [label for label, model in OURS.items() if admin.get(page_of(model, "add")).status_code == 200] == ADDED


@each("label", ADDED)
def test_a_page_for_a_new_object_has_no_field_that_stays_empty(admin: Client, label: str) -> None:
    """Fields like the creation time, and inline rows, are left out."""
    context: Any = admin.get(page_of(OURS[label], "add")).context
    fields = [field for fieldset in context["adminform"] for line in fieldset for field in line]
    assert [field.field["name"] for field in fields if field.is_readonly] == []
    for formset in context["inline_admin_formsets"]:
        assert not set(flatten_fieldsets(formset.fieldsets)) & set(formset.readonly_fields)

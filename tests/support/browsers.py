"""Actions of an operator in the admin."""

from typing import Any

from django.test import Client


def listed(client: Client, path: str, **query: str) -> list[str]:
    """The rows of an admin list, as displayed."""
    response = client.get(path, query)
    assert response.status_code == 200
    return [str(row) for row in response.context["cl"].result_list]


def act(client: Client, path: str, action: str, *rows: Any, **more: str) -> str:
    """Run an action on the selected rows. Return the message."""
    data = {"action": action, "_selected_action": [str(row.pk) for row in rows]} | more
    response = client.post(path, data, follow=True)
    assert response.status_code == 200
    return " ".join(str(message) for message in response.context["messages"])


def form_of(client: Client, path: str) -> dict[str, Any]:
    """The fields of a form as a browser would post them."""
    context = client.get(path).context
    form = context["adminform"].form
    fields = {name: form[name].value() for name in form.fields if name != "password"}
    for formset in context["inline_admin_formsets"]:
        management = formset.formset.management_form
        fields |= {f"{management.prefix}-{name}": management[name].value() for name in management.fields}
    return {name: value for name, value in fields.items() if value is not None and value is not False}

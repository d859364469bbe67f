from django.conf import settings
from django.db import migrations, transaction

from practice.rebuilding import rebuild_sums

MEMBERS = 200
"""In one transaction, which holds their row locks."""


def fill(apps, schema_editor):
    """Sum up the attempts that are there, member after member, while others go on."""
    members = apps.get_model(settings.AUTH_USER_MODEL)._base_manager.order_by("id")
    last = None
    while True:
        with transaction.atomic(using=schema_editor.connection.alias):
            following = members.filter(id__gt=last) if last else members
            batch = list(following.select_for_update(no_key=True).values_list("id", flat=True)[:MEMBERS])
            if not batch:
                return
            rebuild_sums(batch)
            last = batch[-1]


class Migration(migrations.Migration):
    atomic = False
    dependencies = [
        ('practice', '0004_sums'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]

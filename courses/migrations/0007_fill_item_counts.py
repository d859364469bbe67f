from django.db import migrations
from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce

COURSES = 1000
"""In one statement, which holds their row locks."""


def fill(apps, schema_editor):
    """Count the items that are there, course after course, while others go on."""
    courses = apps.get_model("courses", "Course").objects.order_by("id")
    items = apps.get_model("courses", "Item").objects.filter(course_id=OuterRef("id"))
    counted = items.order_by().values("course_id").annotate(there=Count("created_at")).values("there")
    last = None
    while batch := list((courses.filter(id__gt=last) if last else courses).values_list("id", flat=True)[:COURSES]):
        courses.filter(id__in=batch).update(item_count=Coalesce(Subquery(counted), 0))
        last = batch[-1]


class Migration(migrations.Migration):
    atomic = False
    dependencies = [
        ('courses', '0006_item_counts'),
    ]

    operations = [
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]

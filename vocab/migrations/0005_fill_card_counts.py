from django.db import migrations
from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce

DECKS = 1000
"""In one statement, which holds their row locks."""


def fill(apps, schema_editor):
    """Count the cards that are there, deck after deck, while others go on."""
    decks = apps.get_model("vocab", "Deck").objects.order_by("id")
    cards = apps.get_model("vocab", "Card").objects.filter(member_id=OuterRef("member_id"), deck_id=OuterRef("id"))
    counted = cards.order_by().values("deck_id").annotate(there=Count("due_at")).values("there")
    last = None
    while batch := list((decks.filter(id__gt=last) if last else decks).values_list("id", flat=True)[:DECKS]):
        decks.filter(id__in=batch).update(card_count=Coalesce(Subquery(counted), 0))
        last = batch[-1]


class Migration(migrations.Migration):
    atomic = False
    dependencies = [
        ('vocab', '0004_card_counts'),
    ]

    operations = [
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]

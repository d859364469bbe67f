from django.db import migrations, models

from studyservice.database.postgresql.operations import AddIndexAside, RemoveIndexAside


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('vocab', '0015_suspended_cards'),
    ]

    # The new index serves the code of before as well as the old one did.
    operations = [
        AddIndexAside(
            model_name='card',
            index=models.Index(fields=['member', 'deck', 'due_at', 'state', 'suspended'], name='card_member_deck_today'),
        ),
        RemoveIndexAside(
            model_name='card',
            name='card_member_deck_due',
        ),
    ]

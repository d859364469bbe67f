from django.db import migrations, models

from studyservice.database.postgresql.operations import AddIndexAside


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('vocab', '0015_suspended_cards'),
    ]

    # Small ones beside `card_member_deck_due`: a review of a card that is known writes to neither.
    operations = [
        AddIndexAside(
            model_name='card',
            index=models.Index(condition=models.Q(('last_reviewed_at', None)), fields=['member', 'deck', 'due_at'], name='card_member_deck_new'),
        ),
        AddIndexAside(
            model_name='card',
            index=models.Index(condition=models.Q(('suspended', True)), fields=['member', 'deck', 'due_at'], name='card_member_deck_suspended'),
        ),
    ]

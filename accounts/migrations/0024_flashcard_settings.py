import django.core.validators
from django.db import migrations, models

from studyservice.database.postgresql.operations import AddCheck

NEW_CARDS = {
    "blank": True,
    "help_text": "How many new flashcards the member starts a day, over all decks; null means no limit.",
    "null": True,
    "validators": [django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(500)],
}


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0023_reviews_in_changes'),
    ]

    operations = [
        # Members who are there have no limit: the default comes after the column, and the database has none.
        migrations.AddField(
            model_name='member',
            name='new_cards_a_day',
            field=models.PositiveSmallIntegerField(**NEW_CARDS),
        ),
        migrations.AlterField(
            model_name='member',
            name='new_cards_a_day',
            field=models.PositiveSmallIntegerField(default=20, **NEW_CARDS),
        ),
        migrations.AddField(
            model_name='member',
            name='seconds',
            field=models.FloatField(db_default=0, default=0, editable=False, help_text='Seconds that a review of a card takes: a mean in which the last 50 reviews weigh most.'),
        ),
        migrations.AddField(
            model_name='member',
            name='seconds_reviews',
            field=models.PositiveIntegerField(db_default=0, default=0, editable=False, help_text='From how many reviews with a duration that mean was made.'),
        ),
        AddCheck(
            model_name='member',
            constraint=models.CheckConstraint(condition=models.Q(('new_cards_a_day__range', (0, 500))), name='member_new_cards_a_day'),
        ),
        AddCheck(
            model_name='member',
            constraint=models.CheckConstraint(condition=models.Q(('seconds__range', (0, 120))), name='member_seconds'),
        ),
    ]

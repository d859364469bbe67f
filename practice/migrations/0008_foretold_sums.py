from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('practice', '0007_foretold_attempts'),
    ]

    operations = [
        migrations.AddField(
            model_name='practicesum',
            name='firsts',
            field=models.PositiveIntegerField(db_default=0, default=0, help_text='How many of the attempts began a new card.'),
        ),
        migrations.AddField(
            model_name='practicesum',
            name='foretold_attempts',
            field=models.PositiveIntegerField(db_default=0, default=0, help_text='How many of the attempts have a foretold likelihood.'),
        ),
        migrations.AddField(
            model_name='practicesum',
            name='foretold',
            field=models.PositiveBigIntegerField(db_default=0, default=0, help_text='The sum of those likelihoods, in billionths.'),
        ),
        migrations.AddField(
            model_name='practicesum',
            name='foretold_correct',
            field=models.PositiveIntegerField(db_default=0, default=0, help_text='How many of those attempts were correct.'),
        ),
    ]

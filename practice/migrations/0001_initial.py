import django.db.models.deletion
import django.db.models.functions.text
import django.db.models.lookups
import studyservice.database.ids
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('practice', '0009_validate_foretold')]

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Attempt',
            fields=[
                ('id', models.UUIDField(default=studyservice.database.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('source', models.CharField(choices=[('vocab', 'flashcard review')], max_length=16)),
                ('topic', models.CharField(max_length=120)),
                ('deck_id', models.UUIDField(blank=True, null=True)),
                ('course_id', models.UUIDField(blank=True, null=True)),
                ('correct', models.BooleanField()),
                ('attempted_at', models.DateTimeField()),
                ('day', models.DateField(help_text="The member's date at that moment, in the time zone the profile then had.")),
                ('member', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to=settings.AUTH_USER_MODEL)),
                ('foretold', models.IntegerField(help_text='How likely it was to be correct, in billionths; empty where nothing was foretold.', null=True)),
                ('is_first', models.BooleanField(db_default=False, default=False, help_text='Whether a new card was begun with it.')),
            ],
            options={
                'indexes': [models.Index(fields=['member', 'day', 'correct'], name='attempt_member_day')],
                'constraints': [models.CheckConstraint(condition=models.Q(('source__in', ['vocab'])), name='attempt_source'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('topic'), (1, 120))), name='attempt_topic'), models.CheckConstraint(condition=models.Q(('foretold__range', (0, 1000000000))), name='attempt_foretold')],
            },
        ),
        migrations.CreateModel(
            name='PracticeSum',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('kind', models.CharField(choices=[('day', 'a day'), ('topic_day', 'a day of one topic'), ('topic_month', 'a calendar month of one topic')], max_length=11)),
                ('starts_on', models.DateField(help_text='The day, or the first of the month.')),
                ('topic_key', models.UUIDField(help_text='Of topic, deck and course when the row was made; of a day zero.')),
                ('topic', models.CharField(blank=True, help_text='Of a day empty.', max_length=120)),
                ('deck_id', models.UUIDField(blank=True, null=True)),
                ('course_id', models.UUIDField(blank=True, null=True)),
                ('attempts', models.PositiveIntegerField()),
                ('correct', models.PositiveIntegerField()),
                ('newest_at', models.DateTimeField(help_text='When the newest of the attempts was made.')),
                ('run', models.PositiveIntegerField(default=0, help_text='Of a day: the days in a row with practice up to it.')),
                ('member', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to=settings.AUTH_USER_MODEL)),
                ('firsts', models.PositiveIntegerField(db_default=0, default=0, help_text='How many of the attempts began a new card.')),
                ('foretold_attempts', models.PositiveIntegerField(db_default=0, default=0, help_text='How many of the attempts have a foretold likelihood.')),
                ('foretold', models.PositiveBigIntegerField(db_default=0, default=0, help_text='The sum of those likelihoods, in billionths.')),
                ('foretold_correct', models.PositiveIntegerField(db_default=0, default=0, help_text='How many of those attempts were correct.')),
            ],
            options={
                'indexes': [models.Index(condition=models.Q(('kind', 'day')), fields=['member', 'run'], name='practicesum_member_run')],
                'constraints': [models.UniqueConstraint(fields=('member', 'kind', 'starts_on', 'topic_key'), name='practicesum_key'), models.CheckConstraint(condition=models.Q(('kind__in', ['day', 'topic_day', 'topic_month'])), name='practicesum_kind'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('topic'), (0, 120))), name='practicesum_topic'), models.CheckConstraint(condition=models.Q(('attempts__gte', 1)), name='practicesum_attempts'), models.CheckConstraint(condition=models.Q(('correct__lte', models.F('attempts'))), name='practicesum_parts')],
            },
        ),
    ]

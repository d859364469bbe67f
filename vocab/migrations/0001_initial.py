import django.core.validators
import django.db.models.deletion
import django.db.models.functions.text
import django.db.models.lookups
import django.utils.timezone
import studyservice.database.ids
import studyservice.database.member_keys
from django.conf import settings
from django.db import migrations, models

from studyservice.database.online import RunOnPostgresql


class Migration(migrations.Migration):

    replaces = [('vocab', '0017_fill_foretold')]

    initial = True

    dependencies = [
        ('courses', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Deck',
            fields=[
                ('id', models.UUIDField(default=studyservice.database.ids.uuid7, editable=False, help_text="The deck's id.", primary_key=True, serialize=False)),
                ('name', models.CharField(help_text="The deck's name.", max_length=120)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False, help_text='When the deck was created.')),
                ('updated_at', models.DateTimeField(default=django.utils.timezone.now, editable=False, help_text='When the deck was last changed; reviews do not change it.')),
                ('course', models.ForeignKey(blank=True, help_text='The course it belongs to; null means none.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='decks', to='courses.course')),
                ('member', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to=settings.AUTH_USER_MODEL)),
                ('card_count', models.PositiveSmallIntegerField(db_default=0, default=0, editable=False, help_text='How many cards it has.')),
            ],
            options={
                'indexes': [models.Index(fields=['member', 'created_at', 'id'], name='deck_member_age')],
                'constraints': [models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('name'), (1, 120))), name='deck_name'), studyservice.database.member_keys.MemberKey(name='vocab_deck_of_member', owner='member'), studyservice.database.member_keys.MemberForeignKey(field='course', name='vocab_deck_course_of_member', owner='member')],
            },
        ),
        migrations.CreateModel(
            name='Card',
            fields=[
                ('id', models.UUIDField(default=studyservice.database.ids.uuid7, editable=False, help_text="The card's id.", primary_key=True, serialize=False)),
                ('position', models.PositiveIntegerField(editable=False, help_text='Its place in the deck as it was made, from 1.')),
                ('term', models.CharField(help_text='What is asked.', max_length=200)),
                ('definition', models.CharField(help_text='The answer.', max_length=2000)),
                ('state', models.CharField(choices=[('new', 'New'), ('learning', 'Learning'), ('review', 'Review'), ('relearning', 'Relearning')], default='new', editable=False, help_text='new until its first review, then as FSRS has it.', max_length=10)),
                ('step', models.PositiveSmallIntegerField(default=0, editable=False, help_text='Place in the (re)learning steps; empty in review.', null=True)),
                ('stability', models.FloatField(editable=False, help_text='Days until recall falls to 90 percent; null before the first review.', null=True)),
                ('difficulty', models.FloatField(editable=False, help_text='1 to 10; null before the first review.', null=True)),
                ('due_at', models.DateTimeField(default=django.utils.timezone.now, editable=False, help_text='When it comes up next.')),
                ('last_reviewed_at', models.DateTimeField(editable=False, help_text='When it was last reviewed.', null=True)),
                ('reps', models.PositiveIntegerField(default=0, editable=False, help_text='How often it was reviewed.')),
                ('lapses', models.PositiveIntegerField(default=0, editable=False, help_text='How often it was forgotten after it had been learned.')),
                ('member', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to=settings.AUTH_USER_MODEL)),
                ('deck', models.ForeignKey(help_text='The deck it is in.', on_delete=django.db.models.deletion.CASCADE, related_name='cards', to='vocab.deck')),
                ('suspended', models.BooleanField(db_default=False, default=False, help_text='Whether it is set aside: not asked, counted as due or new, or planned until this is lifted.')),
            ],
            options={
                'indexes': [models.Index(fields=['member', 'deck', 'due_at'], name='card_member_deck_due'), models.Index(condition=models.Q(('last_reviewed_at', None)), fields=['member', 'deck', 'due_at'], name='card_member_deck_new'), models.Index(condition=models.Q(('suspended', True)), fields=['member', 'deck', 'due_at'], name='card_member_deck_suspended')],
                'constraints': [models.CheckConstraint(condition=models.Q(('position__gte', 1)), name='card_position'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('term'), (1, 200))), name='card_term'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('definition'), (1, 2000))), name='card_definition'), models.CheckConstraint(condition=models.Q(('state__in', ['new', 'learning', 'review', 'relearning'])), name='card_state'), models.CheckConstraint(condition=models.Q(('stability__gte', 0)), name='card_stability'), models.CheckConstraint(condition=models.Q(('difficulty__range', (1, 10))), name='card_difficulty'), studyservice.database.member_keys.MemberKey(name='vocab_card_of_member', owner='member'), studyservice.database.member_keys.MemberForeignKey(field='deck', name='vocab_card_deck_of_member', owner='member')],
            },
        ),
        migrations.CreateModel(
            name='Review',
            fields=[
                ('id', models.UUIDField(default=studyservice.database.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('rating', models.CharField(choices=[('again', 'Again'), ('hard', 'Hard'), ('good', 'Good'), ('easy', 'Easy')], help_text='How well it was known: again (not at all), hard, good or easy.', max_length=5)),
                ('reviewed_at', models.DateTimeField()),
                ('duration_ms', models.PositiveIntegerField(help_text='How long it took, in milliseconds, up to an hour.', null=True, validators=[django.core.validators.MinValueValidator(0), django.core.validators.MaxValueValidator(3600000)])),
                ('desired_retention', models.FloatField()),
                ('state', models.CharField(choices=[('new', 'New'), ('learning', 'Learning'), ('review', 'Review'), ('relearning', 'Relearning')], max_length=10)),
                ('step', models.PositiveSmallIntegerField(null=True)),
                ('stability', models.FloatField(null=True)),
                ('difficulty', models.FloatField(null=True)),
                ('due_at', models.DateTimeField()),
                ('last_reviewed_at', models.DateTimeField(null=True)),
                ('card', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='reviews', to='vocab.card')),
                ('member', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to=settings.AUTH_USER_MODEL)),
                ('by_id', models.UUIDField(null=True)),
                ('by_kind', models.CharField(choices=[('key', 'API key'), ('app', 'connected app'), ('page', 'page of this service'), ('operator', 'Operator'), ('command', 'Command')], help_text='Who gave the answer; empty of old lines.', max_length=8, null=True)),
                ('by_name', models.CharField(max_length=255, null=True)),
            ],
            options={
                'indexes': [models.Index(fields=['member', 'reviewed_at', 'id'], name='review_member_age')],
                'constraints': [models.CheckConstraint(condition=models.Q(('rating__in', ['again', 'hard', 'good', 'easy'])), name='review_rating'), models.CheckConstraint(condition=models.Q(('duration_ms__range', (0, 3600000))), name='review_duration_ms'), models.CheckConstraint(condition=models.Q(('desired_retention__range', (0.7, 0.99))), name='review_desired_retention'), models.CheckConstraint(condition=models.Q(('state__in', ['new', 'learning', 'review', 'relearning'])), name='review_state'), models.CheckConstraint(condition=models.Q(('stability__gte', 0)), name='review_stability'), models.CheckConstraint(condition=models.Q(('difficulty__range', (1, 10))), name='review_difficulty'), models.CheckConstraint(condition=models.Q(('by_kind__in', ['key', 'app', 'page', 'operator', 'command'])), name='review_by_kind'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('by_name'), (0, 255))), name='review_by_name'), studyservice.database.member_keys.MemberForeignKey(field='card', name='vocab_review_card_of_member', owner='member')],
            },
        ),
        # No index of it begins with the member.
        RunOnPostgresql("CREATE INDEX vocab_review_card_id_86e256af ON vocab_review (card_id)", "DROP INDEX vocab_review_card_id_86e256af"),
    ]

import django.db.models.deletion
import django.db.models.functions.text
import django.db.models.lookups
import django.utils.timezone
import studyservice.database.ids
import studyservice.database.member_keys
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [('planning', '0013_fill_folded')]

    initial = True

    dependencies = [
        ('courses', '0002_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Milestone',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, help_text="The milestone's id.", primary_key=True, serialize=False)),
                ('title', models.CharField(help_text='What to do.', max_length=160)),
                ('due_on', models.DateField(blank=True, help_text='Due date; null means undated.', null=True)),
                ('done', models.BooleanField(default=False, help_text='Whether it is done.')),
                ('position', models.PositiveIntegerField(help_text="Its place in the item's list, from 1.")),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('updated_at', models.DateTimeField(default=django.utils.timezone.now, editable=False)),
                ('item', models.ForeignKey(help_text='The item it leads up to.', on_delete=django.db.models.deletion.CASCADE, related_name='milestones', to='courses.item')),
                ('member', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to=settings.AUTH_USER_MODEL)),
                ('sequence', models.IntegerField(db_default=0, default=0, editable=False, help_text='Counts changes that calendar apps must see (SEQUENCE).')),
                ('folded', models.TextField(db_default='', default='', editable=False, help_text='The title as it is searched (planning.course_plan).')),
            ],
            options={
                'ordering': ['position'],
                'indexes': [models.Index(fields=['member', 'item', 'position'], name='milestone_member_item'), models.Index(condition=models.Q(('done', False)), fields=['member', 'due_on'], name='milestone_member_open')],
                'constraints': [models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('title'), (1, 160))), name='milestone_title'), models.CheckConstraint(condition=models.Q(('position__gte', 1)), name='milestone_position'), models.CheckConstraint(condition=models.Q(('sequence__gte', 0)), name='milestone_sequence'), studyservice.database.member_keys.MemberForeignKey(field='item', name='planning_milestone_item_of_member', owner='member')],
            },
        ),
        migrations.CreateModel(
            name='ImportedEvent',
            fields=[
                ('id', models.UUIDField(default=studyservice.database.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ('item_id', models.UUIDField()),
                ('uid', models.CharField(max_length=255)),
                ('instance', models.CharField(blank=True, help_text='RECURRENCE-ID, of one that recurs.', max_length=16)),
                ('prodid', models.CharField(blank=True, help_text='What wrote the file.', max_length=255)),
                ('title', models.CharField(max_length=160)),
                ('due_on', models.DateField()),
                ('course', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='imported_events', to='courses.course')),
                ('member', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('member', 'course', 'uid', 'instance'), name='importedevent_of_course'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('uid'), (1, 255))), name='importedevent_uid'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('instance'), (0, 16))), name='importedevent_instance'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('prodid'), (0, 255))), name='importedevent_prodid'), models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('title'), (1, 160))), name='importedevent_title'), studyservice.database.member_keys.MemberForeignKey(field='course', name='planning_importedevent_course_of_member', owner='member')],
                'indexes': [],
            },
        ),
    ]

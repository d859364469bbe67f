import django.db.models.deletion
import django.db.models.functions.text
import django.db.models.lookups
import django.utils.timezone
import studyservice.database.postgresql.operations
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('courses', '0015_describe_columns'),
        ('grades', '0007_describe_columns'),
    ]

    operations = [
        studyservice.database.postgresql.operations.AddReference(
            model_name='item',
            name='category',
            field=models.ForeignKey(blank=True, help_text='The grade category it counts in, of the same course; null for none.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='items', to='grades.gradecategory'),
        ),
        migrations.AddField(
            model_name='item',
            name='done',
            field=models.BooleanField(db_default=False, default=False, help_text='Whether the member has done it or handed it in.'),
        ),
        migrations.AddField(
            model_name='item',
            name='done_at',
            field=models.DateTimeField(blank=True, editable=False, help_text='When it was marked as done; null while it is not.', null=True),
        ),
        migrations.AddField(
            model_name='item',
            name='folded',
            field=models.TextField(db_default='', default='', editable=False, help_text='Title and note as they are searched (courses.searching).'),
        ),
        migrations.AddField(
            model_name='item',
            name='graded',
            field=models.BooleanField(db_default=False, default=False, editable=False, help_text='Whether a score names it; kept by grades.marks.'),
        ),
        migrations.AddField(
            model_name='item',
            name='marked_at',
            field=models.DateTimeField(blank=True, editable=False, help_text='When a score last came to it or left it.', null=True),
        ),
        migrations.AddField(
            model_name='item',
            name='missable_from',
            field=models.DateField(db_default=models.Func(output_field=models.DateField(), template='CURRENT_DATE'), default=django.utils.timezone.localdate, editable=False, help_text="The member's date when it was made; what was due before is never missed."),
        ),
        migrations.AddField(
            model_name='item',
            name='note',
            field=models.CharField(blank=True, help_text='What else to know about it.', max_length=2000, null=True),
        ),
        migrations.AlterField(
            model_name='item',
            name='sequence',
            field=models.IntegerField(db_default=0, default=0, editable=False, help_text='Revisions of what calendars show; they ask for it (courses.revisions).'),
        ),
        studyservice.database.postgresql.operations.AddCheck(
            model_name='item',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('done', True), ('done_at__isnull', False)), models.Q(('done', False), ('done_at__isnull', True)), _connector='OR'), name='item_done'),
        ),
        studyservice.database.postgresql.operations.AddCheck(
            model_name='item',
            constraint=models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('note'), (1, 2000))), name='item_note'),
        ),
    ]

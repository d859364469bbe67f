import django.db.models.functions.text
import django.db.models.lookups
from django.db import migrations, models

import accounts.members.models
from studyservice.database.online import AddConstraintNotValid


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0037_member_mornings'),
    ]

    operations = [
        migrations.AddField(
            model_name='invitation',
            name='name',
            field=models.CharField(blank=True, db_default='', default='', editable=False, max_length=150),
        ),
        migrations.AddField(
            model_name='invitation',
            name='time_zone',
            field=models.CharField(db_default='UTC', default='UTC', editable=False, max_length=64, validators=[accounts.members.models.validate_time_zone]),
        ),
        migrations.AddField(
            model_name='invitation',
            name='until',
            field=models.DateField(blank=True, editable=False, help_text='Last day of the membership; empty for the usual one.', null=True),
        ),
        AddConstraintNotValid(
            model_name='invitation',
            constraint=models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('name'), (0, 150))), name='invitation_name'),
        ),
        AddConstraintNotValid(
            model_name='invitation',
            constraint=models.CheckConstraint(condition=models.Q(django.db.models.lookups.Range(django.db.models.functions.text.Length('time_zone'), (1, 64))), name='invitation_time_zone'),
        ),
    ]

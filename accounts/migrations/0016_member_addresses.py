from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def fill(apps: object, editor: BaseDatabaseSchemaEditor) -> None:
    """Note whose the addresses are that there are."""
    editor.execute('INSERT INTO accounts_memberaddress (email, member_id) SELECT email, id FROM accounts_member')


class Migration(migrations.Migration):
    dependencies = [
        ('accounts', '0015_secret_owners'),
    ]

    operations = [
        migrations.CreateModel(
            name='MemberAddress',
            fields=[
                ('email', models.EmailField(max_length=254, primary_key=True, serialize=False)),
                (
                    'member',
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=models.deletion.CASCADE,
                        related_name='+',
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                'verbose_name_plural': 'member addresses',
            },
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]

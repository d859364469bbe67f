from django.conf import settings
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def fill(apps: object, editor: BaseDatabaseSchemaEditor) -> None:
    """Note whose the secrets are that there are."""
    for table in ('accounts_apikey', 'accounts_calendarfeed'):
        editor.execute(filling(editor, table, 'member_id', 'secret_hash'))


def filling(editor: BaseDatabaseSchemaEditor, table: str, owner: str, column: str) -> str:
    """The statement for one table; SQLite keeps a UUID as its digits."""
    id_ = f'substr({column}, 1, 32)'
    if editor.connection.vendor == 'postgresql':
        id_ = f'{id_}::uuid'
    return (
        f'INSERT INTO accounts_secretowner (id, member_id) '  # noqa: S608  # nosec  # names alone
        f'SELECT {id_}, {owner} FROM {table} WHERE true ON CONFLICT DO NOTHING'
    )


class Migration(migrations.Migration):
    dependencies = [
        ('accounts', '0014_calendar_feed'),
    ]

    operations = [
        migrations.CreateModel(
            name='SecretOwner',
            fields=[
                (
                    'id',
                    models.UUIDField(
                        editable=False,
                        help_text="The first half of the secret's SHA-256.",
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                (
                    'member',
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=models.deletion.CASCADE,
                        related_name='+',
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]

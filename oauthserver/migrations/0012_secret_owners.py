from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def fill(apps: object, editor: BaseDatabaseSchemaEditor) -> None:
    """Note whose the codes and tokens are that there are; SQLite keeps a UUID as its digits."""
    type_ = '::uuid' if editor.connection.vendor == 'postgresql' else ''
    for table, column in (
        ('oauthserver_grant', 'code'),
        ('oauthserver_accesstoken', 'token_checksum'),
        ('oauthserver_refreshtoken', 'token_checksum'),
    ):
        editor.execute(
            f'INSERT INTO accounts_secretowner (id, member_id) '  # noqa: S608  # nosec  # names alone
            f'SELECT substr({column}, 1, 32){type_}, user_id FROM {table} WHERE true ON CONFLICT DO NOTHING'
        )


class Migration(migrations.Migration):
    dependencies = [
        ('accounts', '0015_secret_owners'),
        ('oauthserver', '0011_validate_member_foreign_keys'),
    ]

    operations = [
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]

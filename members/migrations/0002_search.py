"""Indexes of the members pages; on PostgreSQL also those of the search for a part of a name."""

from django.db import migrations, models


def _with_trigrams(schema_editor):
    """Whether this server has, or lets us add, the extension that finds a text inside another by an index."""
    if schema_editor.connection.vendor != "postgresql":
        return False
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(
            """
            SELECT installed_version IS NOT NULL
                OR (trusted AND has_database_privilege(current_database(), 'CREATE'))
                OR (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)
            FROM pg_available_extensions LEFT JOIN pg_available_extension_versions USING (name)
            WHERE name = 'pg_trgm' AND version = default_version
            """
        )
        found = cursor.fetchone()
    return bool(found and found[0])


def add_search(apps, schema_editor):
    """Without the extension a search reads all names: slower, never wrong."""
    if _with_trigrams(schema_editor):
        schema_editor.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
        for column in ("name", "username"):
            schema_editor.execute(
                f"CREATE INDEX member_{column}_part ON members_member"
                f" USING gin (upper({column}::text) gin_trgm_ops)"
            )


def remove_search(apps, schema_editor):
    """The extension stays: others may use it."""
    if schema_editor.connection.vendor == "postgresql":
        for column in ("name", "username"):
            schema_editor.execute(f"DROP INDEX IF EXISTS member_{column}_part")


class Migration(migrations.Migration):
    dependencies = [("members", "0001_initial")]

    operations = [
        migrations.AddIndex(
            model_name="member",
            index=models.Index(
                fields=["federation", "name", "username", "id"], name="member_by_federation"
            ),
        ),
        migrations.AddIndex(
            model_name="member",
            index=models.Index(
                fields=["title", "name", "username", "id"],
                condition=models.Q(("title", ""), _negated=True),
                name="member_titled",
            ),
        ),
        migrations.RunPython(add_search, remove_search),
    ]

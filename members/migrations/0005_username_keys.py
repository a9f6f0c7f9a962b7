import django.core.validators
from django.db import migrations, models
from django.db.models.functions import Lower

import members.models
import members.usernames
from members.usernames import key_of

_AT_ONCE = 2_000


def fill(apps, schema_editor):
    """The key of every member: in one statement for usernames in ASCII, which nearly all are."""
    stored = apps.get_model("members", "Member").objects.using(schema_editor.connection.alias)
    plain = stored.filter(username__regex=r"^[ -~]+$")
    plain.update(username_key=Lower("username"))
    last = 0
    others = stored.filter(username_key="").only("pk", "username").order_by("pk")
    while some := list(others.filter(pk__gt=last)[:_AT_ONCE]):
        for member in some:
            member.username_key = key_of(member.username)
        stored.bulk_update(some, ["username_key"])
        last = some[-1].pk


class Migration(migrations.Migration):
    dependencies = [("members", "0004_rights_of_memberships")]

    operations = [
        migrations.AddField(
            "member",
            "username_key",
            members.usernames.UsernameKeyField(default="", editable=False, max_length=450),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.AddIndex(
            "member", models.Index(fields=["username_key"], name="member_by_username_key")
        ),
        *(
            migrations.AlterField(
                model,
                "birth_year",
                models.PositiveSmallIntegerField(
                    blank=True,
                    null=True,
                    validators=[
                        django.core.validators.MinValueValidator(1900),
                        django.core.validators.MaxValueValidator(members.models.this_year),
                    ],
                    verbose_name="birth year",
                ),
            )
            for model in ("member", "historicalmember")
        ),
    ]

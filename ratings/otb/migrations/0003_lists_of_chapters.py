from django.db import migrations, models

from foa.indexes import AddUnique


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("otb", "0002_chapters"),
    ]

    operations = [
        AddUnique("otblist", models.UniqueConstraint('chapter', "list_day", "revision", name="otb_list_once")),
    ]

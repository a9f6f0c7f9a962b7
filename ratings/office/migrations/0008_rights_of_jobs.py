"""Rating officers stop jobs and have them done again."""

from django.db import migrations

from ratings.office.rights import grant


class Migration(migrations.Migration):

    dependencies = [("office", "0007_jobs_retried"), ("ratings", "0004_groups")]

    operations = [grant("office", {"Rating officers": ["steer_job"]})]

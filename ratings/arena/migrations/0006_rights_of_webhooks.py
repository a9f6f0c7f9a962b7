"""Rating officers and auditors see webhooks and their deliveries; officers change them and send again."""

from django.db import migrations

from ratings.office.rights import grant

_SEEN = ("view_webhook", "view_delivery", "view_attempt")


class Migration(migrations.Migration):

    dependencies = [("arena", "0005_webhooks"), ("ratings", "0004_groups")]

    operations = [
        grant("arena", {"Rating officers": (*_SEEN, "change_webhook", "send_delivery"), "Auditors": _SEEN})
    ]

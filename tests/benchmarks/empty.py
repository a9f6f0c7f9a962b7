"""Take all games, and what follows from them, off the books."""

import django

django.setup()

from django.db import connection, transaction  # noqa: E402

from ratings.rbb.ledger.replay import replay  # noqa: E402

TABLES = ("ratings_rating", "ratings_ratingchange", "ratings_game")

with transaction.atomic(), connection.cursor() as cursor:
    if connection.vendor == "postgresql":
        # Deleted rows would be swept up behind the back of what is measured next.
        cursor.execute(f"TRUNCATE {', '.join(TABLES)} CASCADE")
    else:
        for table in TABLES:
            cursor.execute(f"DELETE FROM {table}")
    replay()

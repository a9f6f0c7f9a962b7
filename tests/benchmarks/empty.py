"""Take all games, and what follows from them, off the books."""

import django

django.setup()

from django.db import connection, transaction  # noqa: E402

from ratings.services.replay import replay  # noqa: E402

with transaction.atomic(), connection.cursor() as cursor:
    for table in ("ratings_rating", "ratings_ratingchange", "ratings_game"):
        cursor.execute(f"DELETE FROM {table}")
    replay()

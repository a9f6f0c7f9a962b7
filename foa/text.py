"""How the office writes numbers and moments, the same in every language: an exact rating has a point."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

NOTHING = "–"
"""What stands where there is no value."""


def points(value: Decimal | None) -> str:
    """An exact number with two decimals: 1799.60."""
    return NOTHING if value is None else f"{value:.2f}".replace("-", "−")


def signed(value: Decimal | None) -> str:
    """A change with its sign: +0.60, −14.40, 0.00."""
    if value is None:
        return NOTHING
    return f"+{value:.2f}" if value > 0 else points(value)


def duration(value: timedelta) -> str:
    """Hours, minutes and seconds: 0:07:05, also of more than a day."""
    minutes, seconds = divmod(round(value.total_seconds()), 60)
    return f"{minutes // 60}:{minutes % 60:02}:{seconds:02}"


def minute(value: datetime) -> str:
    """A moment to the minute, where a heading says UTC: 2026-03-14 20:00."""
    return f"{value.astimezone(UTC):%Y-%m-%d %H:%M}"


def utc(value: datetime | None) -> str:
    """A moment to the second: 2026-03-14 20:00:05 UTC."""
    return NOTHING if value is None else f"{value.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def utc_text(moment: datetime) -> str:
    """ISO 8601 in UTC: 2026-03-14T20:00:05Z."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")

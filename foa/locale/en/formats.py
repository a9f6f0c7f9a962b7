"""Formats of dates on English pages: 31 Oct 2026, 16:31 UTC."""

DATE_FORMAT = SHORT_DATE_FORMAT = "j M Y"
MONTH_DAY_FORMAT = "j M"
YEAR_MONTH_FORMAT = "F Y"
TIME_FORMAT = "H:i"
DATETIME_FORMAT = r"j M Y, H:i \U\T\C"
# Where a heading says UTC.
SHORT_DATETIME_FORMAT = "j M Y, H:i"

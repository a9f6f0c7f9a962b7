"""Formats of numbers and dates on Polish pages: 31 paź 2026, 16:31 UTC."""

# An exact rating looks the same in every language, in the tables of RBB and in every file: 1800.20.
DECIMAL_SEPARATOR = "."

DATE_FORMAT = SHORT_DATE_FORMAT = "j b Y"
MONTH_DAY_FORMAT = "j b"
YEAR_MONTH_FORMAT = "F Y"
TIME_FORMAT = "H:i"
DATETIME_FORMAT = r"j b Y, H:i \U\T\C"
# Where a heading says UTC.
SHORT_DATETIME_FORMAT = "j b Y, H:i"

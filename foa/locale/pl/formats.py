"""How Polish pages write numbers and moments."""

# An exact rating looks the same in every language, in the tables of RBB and in every file: 1800.20.
DECIMAL_SEPARATOR = "."

# All moments are UTC, and say so.
DATE_FORMAT = "Y-m-d"
TIME_FORMAT = "H:i:s"
DATETIME_FORMAT = r"Y-m-d H:i:s \U\T\C"

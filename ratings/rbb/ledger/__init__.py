"""The one path of every rating change: record, replay, correct."""

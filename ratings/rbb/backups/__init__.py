"""Backups, taken while games are saved, and tested in a separate database before they replace anything."""

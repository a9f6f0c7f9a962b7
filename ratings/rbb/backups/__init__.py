"""Backups are taken while games are saved, and proven beside what is there before they take its place."""

"""Logins: the second factor, sessions, and passwords that were forgotten."""

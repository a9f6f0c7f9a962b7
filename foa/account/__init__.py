"""Logins: second factors, sessions and password resets."""

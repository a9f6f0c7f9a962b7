"""Inviting organizers, taking what they send, and telling them what becomes of it."""

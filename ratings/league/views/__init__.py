"""Public pages of the team league."""

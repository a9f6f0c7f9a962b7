"""The ratings of the BAL, a team league."""

"""Services of the league: its rules applied to its models."""

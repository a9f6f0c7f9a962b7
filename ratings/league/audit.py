"""What the audit holds against the rules of the league."""

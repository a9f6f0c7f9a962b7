"""What the audit holds against the rules over the board."""

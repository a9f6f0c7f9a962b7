"""What the audit holds the arena's ratings against. Importing this registers the checks."""

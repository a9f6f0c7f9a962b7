"""What the pages show to everybody, read-only: rating lists, members, games and explanations."""

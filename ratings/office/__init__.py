"""What every rule book's office shares, and none of their names."""

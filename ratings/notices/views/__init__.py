"""Pages of news."""

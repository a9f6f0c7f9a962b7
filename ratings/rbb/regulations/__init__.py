"""The regulations as the office tells them: articles, readings, computed examples and the two tables."""

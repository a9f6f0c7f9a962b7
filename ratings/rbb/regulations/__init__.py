"""The regulations as published by the office: articles, readings, computed examples and the two tables."""

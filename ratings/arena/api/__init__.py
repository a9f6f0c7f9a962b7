"""The API of game servers and followers under /api/v1/: HTTP in, JSON out, problem details for errors."""

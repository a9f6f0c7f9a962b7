"""The arena: game servers send games and members, and followers learn what has changed."""

"""The arena: game servers send games and members here, and followers learn what changed."""

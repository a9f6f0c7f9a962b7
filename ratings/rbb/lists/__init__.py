"""Rating lists (RBB 1.4): freeze, publish, look back, files."""

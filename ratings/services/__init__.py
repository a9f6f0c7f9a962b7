"""The only place where models and rules meet."""

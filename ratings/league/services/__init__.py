"""Where the league’s models and its rules meet."""

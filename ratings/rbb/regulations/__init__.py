"""The arena's regulations and FIDE's formula page as rule books of the site, and the two printed tables."""

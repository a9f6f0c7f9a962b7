"""News for members: new lists, corrected ratings, answers, and the members they follow."""

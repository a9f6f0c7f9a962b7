"""What members are told: of new lists, corrected ratings, answers, and the members they follow."""

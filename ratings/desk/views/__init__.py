"""Pages of the desk: the calendar, cases for whoever opened them, and published cases."""

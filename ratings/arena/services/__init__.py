"""What game servers ask for, without a word of HTTP."""

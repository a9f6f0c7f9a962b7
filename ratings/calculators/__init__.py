"""The public calculators: what would be, and what is needed. Nothing is stored; an address is a result."""

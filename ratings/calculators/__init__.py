"""The public calculators of hypothetical results and of scores needed.

Nothing is stored: the address of a result contains everything it depends on.
"""

"""The RBB regulations of FIDE Online Arena, the system in force."""

"""What the audit holds against RBB 3.4 and 3.15."""

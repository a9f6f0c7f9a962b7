"""Services of the desk."""

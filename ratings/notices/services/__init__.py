"""Following, telling, and sending digests."""

"""Services of news: following, notifying, and sending digests."""

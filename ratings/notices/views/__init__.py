"""Pages of news."""

from ratings.notices.views.choices import choose_news, renew_feed_address, unsubscribe
from ratings.notices.views.feed import feed
from ratings.notices.views.following import FollowingView, follow_member
from ratings.notices.views.news import NewsView
from ratings.notices.views.public import PublicNewsView

__all__ = [
    "FollowingView",
    "NewsView",
    "PublicNewsView",
    "choose_news",
    "feed",
    "follow_member",
    "renew_feed_address",
    "unsubscribe",
]

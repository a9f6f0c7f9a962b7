"""URLs of news."""

from django.urls import path

from foa.web.caching import cached_for_visitors
from ratings.notices import views
from ratings.notices.feeds import PublicFeed

app_name = "notices"

urlpatterns = [
    path("", views.PublicNewsView.as_view(), name="public"),
    path("atom.xml", cached_for_visitors(PublicFeed()), name="atom"),
    path("mine/", views.NewsView.as_view(), name="news"),
    path("following/", views.FollowingView.as_view(), name="following"),
    path("following/<int:pk>/", views.follow_member, name="follow"),
    path("choices/", views.choose_news, name="choose"),
    path("feed/new/", views.renew_feed_address, name="renew_feed"),
    path("feed/<str:token>/", views.feed, name="feed"),
    path("unsubscribe/<str:token>/", views.unsubscribe, name="unsubscribe"),
]

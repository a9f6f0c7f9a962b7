"""URLs of news."""

from django.urls import path

from ratings.notices.views import choices, feed, following, news, public

app_name = "notices"

urlpatterns = [
    path("", public.PublicNewsView.as_view(), name="public"),
    path("mine/", news.NewsView.as_view(), name="news"),
    path("following/", following.FollowingView.as_view(), name="following"),
    path("following/<int:pk>/", following.follow_member, name="follow"),
    path("choices/", choices.choose_news, name="choose"),
    path("feed/new/", choices.renew_feed_address, name="renew_feed"),
    path("feed/<str:token>/", feed.feed, name="feed"),
    path("unsubscribe/<str:token>/", choices.unsubscribe, name="unsubscribe"),
]

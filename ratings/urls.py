"""Addresses of ratings, games and lists."""

from django.urls import path, register_converter

from ratings import views
from ratings.rules.time_controls import Category

app_name = "ratings"


class CategoryConverter:
    """``rapid``, ``blitz`` or ``bullet`` in an address."""

    regex = "|".join(category.slug for category in Category)

    def to_python(self, value: str) -> Category:
        """The category of this name."""
        return Category.from_slug(value)

    def to_url(self, value: str) -> str:
        """Links are made from slugs."""
        return value


register_converter(CategoryConverter, "category")

urlpatterns = [
    path("", views.HomeView.as_view(), name="home"),
    path("ratings/<category:category>/", views.LiveRatingView.as_view(), name="live"),
    path("games/", views.GameListView.as_view(), name="games"),
    path("games/<int:pk>/", views.GameView.as_view(), name="game"),
    path("changes/", views.ChangeListView.as_view(), name="changes"),
    path("changes/<int:pk>/", views.ChangeView.as_view(), name="change"),
]

"""Personal data of news, and how merges and erasures treat it."""

from typing import Final

from ratings.office.merging import moves
from ratings.office.personal import holds

_NOTICES: Final = ("at", "kind", "key", "address", "page", "feed", "mail")

holds("notices.Follow.follower", "followed__username", "at", name="following", goes=True)
# Who follows a member is personal data of the followers.
holds("notices.Follow.followed", goes=True)
holds("notices.Choice.member", "kind", "page", "feed", "mail", name="news-choices", goes=True)
holds("notices.FeedAddress.member", goes=True)
holds("notices.Notice.member", *_NOTICES, name="news", goes=True)
holds("notices.Notice.about", goes=True)
holds("notices.Digest.member", "state", "next_attempt_at", "attempts", name="news-mails", goes=True)

for _relation in (
    "Follow.follower",
    "Follow.followed",
    "Choice.member",
    "FeedAddress.member",
    "Notice.member",
    "Notice.about",
    "Digest.member",
):
    moves(f"notices.{_relation}")

"""Personal data of news."""

from ratings.office.relations import Relation, declare

declare(
    Relation("notices.Follow.follower", "followed__username", "at", table="following", moves=True, goes=True),
    # Who follows a member is personal data of the followers.
    Relation("notices.Follow.followed", moves=True, goes=True),
    Relation(
        "notices.Choice.member",
        *("kind", "page", "feed", "mail"),
        table="news-choices",
        moves=True,
        goes=True,
    ),
    Relation("notices.FeedAddress.member", moves=True, goes=True),
    Relation(
        "notices.Notice.member",
        *("at", "kind", "key", "address", "page", "feed", "mail"),
        table="news",
        moves=True,
        goes=True,
    ),
    Relation("notices.Notice.about", moves=True, goes=True),
    Relation(
        "notices.Digest.member",
        *("state", "next_attempt_at", "attempts"),
        table="news-mails",
        moves=True,
        goes=True,
    ),
)

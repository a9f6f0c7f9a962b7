"""What the tests of the whole house need to know of news."""

from typing import Final

PAGES: Final = {
    # Who knows the signed end of the address; a made-up one finds nothing.
    "everybody": "notices:feed notices:unsubscribe notices:public notices:atom",
    "logins": "notices:news notices:following notices:follow notices:choose notices:renew_feed",
}

"""The kinds of problems and their meanings, for the page /api/, to which a problem's ``type`` links."""

from __future__ import annotations

from typing import Final

KINDS: Final = {
    "invalid": "A field or a parameter is missing, unknown or malformed. `errors` names each.",
    "unreadable": "The body isn't JSON in UTF-8.",
    "bad-request": "The address or a header can't be read: a NUL byte, a wrong host.",
    "unauthorized": "The token is missing, wrong or no longer good. Get a new one at `/oauth/token/`.",
    "scope-missing": "The token doesn't have the scope that `scope` names. Ask the office for it.",
    "not-active": "The office has closed the access of this server.",
    "forbidden": "This is not allowed.",
    "not-found": "There is no such game, member, list or line.",
    "no-such-address": "The API has nothing at this address.",
    "method-not-allowed": "This address has no such method. `Allow` names those that it has.",
    "contradiction": (
        "It contradicts what is stored, or RBB 2.4. `stored` and `sent` are the two versions, `differing`"
        " names the fields. Nothing was changed."
    ),
    "idempotency-key-reused": (
        "The `Idempotency-Key` came with another request within the last day. Nothing was done. Use a new"
        " key."
    ),
    "cursor-gone": (
        "The office was restored from a backup since it gave this cursor. Forget what you have read of the"
        " feed, and start again at `begin`, without a cursor."
    ),
    "length-required": "Send `Content-Length`: a body in chunks isn't taken.",
    "too-large": "The body is longer than the `most` bytes that are read. Nothing was stored.",
    "too-many-lines": "The body has more than `most` lines. Nothing was stored. Send several requests.",
    "unsupported-media-type": (
        "Send `application/json`, many games as `application/x-ndjson`; in UTF-8, and not compressed."
    ),
    "refused": (
        "The office can't take it. `errors` has every reason with its field and, where there is one, its"
        " article."
    ),
    "too-many": "Too many requests. Wait for as many seconds as `Retry-After` says.",
    "busy": "Too many large requests at once. Nothing was stored. Wait as long as `Retry-After` says.",
    "service-unavailable": "The database isn't available. Send the same request again after `Retry-After`.",
    "internal-server-error": "Something went wrong in the office. Its log has the `request_id`.",
}
"""Meanings of the kinds. A kind never changes, because clients may depend on it."""

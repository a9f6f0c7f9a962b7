"""Game servers, what they told the office, and whom the office tells."""

from ratings.arena.models.presence import PresenceEvent, SentEnd
from ratings.arena.models.servers import GameServer

__all__ = ["GameServer", "PresenceEvent", "SentEnd"]
